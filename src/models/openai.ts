import { unlessAborted } from '../shared/abort.ts';
import type { JsonObject } from '../shared/json.ts';
import { extraFields, optionNamed } from './extra-fields.ts';
import type { LanguageModel, ModelRequest, ModelStreamPart } from './language-model.ts';
import { loadSdk } from './load-sdk.ts';
import { abortedError, streamCutError } from './model-errors.ts';
import { OpenAIAnswer } from './openai-answer.ts';
import type { ChatOptions, OpenAIClient } from './openai-client.ts';
import { toModelError } from './openai-errors.ts';
import { chatRequest } from './openai-request.ts';
import type { ChatSettings, MaxTokensField } from './openai-request.ts';
import { patientFetch } from './retry-after.ts';

export type { OpenAIClient };

export interface OpenAIModelOptions {
  /** As the service names it, such as `gpt-5` or `qwen3`. */
  readonly model: string;
  /** Any text where the service needs none. @default the variable OPENAI_API_KEY */
  readonly apiKey?: string;
  /** Where the service is, such as `http://127.0.0.1:11434/v1`. @default the variable OPENAI_BASE_URL, or OpenAI's own */
  readonly baseUrl?: string;
  /** A client of one's own, in place of `apiKey` and `baseUrl`. */
  readonly client?: OpenAIClient;
  /** How often a request is sent again after 408, 409, 429, 5xx or a lost connection. @default the client's, which is 2 */
  readonly maxRetries?: number;
  /** How many tokens the model can read and write in one request; conversations are kept below it. @default not known */
  readonly contextWindowTokens?: number;
  /**
   * Which field limits the answer; the wrong one is refused or ignored.
   * @default `max_completion_tokens` at OpenAI and Azure, else `max_tokens`
   */
  readonly maxTokensField?: MaxTokensField;
  /** How much the model thinks before it answers. Not every model takes every value. @default the model's own */
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  /** How requests are processed, which changes their price and speed. @default the service's */
  readonly serviceTier?: 'auto' | 'default' | 'flex' | 'scale' | 'priority' | 'fast';
  /**
   * Other fields of each request's body, in the service's names, such as `{ prompt_cache_key: 'k' }`. Those that the
   * adapter sets are `OPTION_INVALID`: `model`, `messages`, `tools`, `max_tokens`, `max_completion_tokens`,
   * `stream`, `stream_options` and `n`, and `reasoning_effort` or `service_tier` beside the option for it.
   */
  readonly extra?: JsonObject;
  /** Headers of each request beside the client's own. */
  readonly headers?: Readonly<Record<string, string>>;
}

const OWNED_FIELDS = {
  model: 'the option model',
  messages: 'the conversation',
  tools: 'the conversation',
  max_tokens: 'the conversation, whose option is maxTokens',
  max_completion_tokens: 'the conversation, whose option is maxTokens',
  stream: 'the adapter',
  stream_options: 'the adapter',
  n: 'the adapter, which reads one answer',
};

/** OpenAI's newer models refuse `max_tokens`; most other services know nothing else. */
const KNOWS_MAX_COMPLETION_TOKENS = /^https?:\/\/([\w-]+\.)*(openai|azure)\.com(?=[:/]|$)/;

/**
 * A model behind any service that speaks OpenAI's Chat Completions API. Nothing is looked up or sent
 * before the first request, which needs the `openai` package unless a client is passed.
 * @throws PtcError `OPTION_INVALID` for a field of `extra` that the adapter sets itself.
 */
export function openaiModel(options: OpenAIModelOptions): LanguageModel {
  const { model, contextWindowTokens, effort, serviceTier, maxRetries, headers } = options;
  const extra = extraFields(options.extra, {
    ...OWNED_FIELDS,
    ...(effort === undefined ? {} : { reasoning_effort: optionNamed('effort') }),
    ...(serviceTier === undefined ? {} : { service_tier: optionNamed('serviceTier') }),
  });
  const settings: Settings = {
    ...options,
    extra,
    options: {
      ...(headers === undefined ? {} : { headers }),
      ...(maxRetries === undefined ? {} : { maxRetries }),
    },
  };
  let client = options.client;
  const connect = async (): Promise<OpenAIClient> => {
    client ??= await createClient(options);
    return client;
  };
  return {
    id: model,
    ...(contextWindowTokens !== undefined && { contextWindowTokens }),
    // Which field limits the answer makes no difference here.
    check: (request) => void chatRequest(settings, request, 'max_tokens'),
    stream: (request) => stream(connect, settings, request),
  };
}

interface Settings extends ChatSettings {
  readonly maxTokensField?: MaxTokensField;
  readonly options: ChatOptions;
}

async function createClient({ apiKey, baseUrl }: OpenAIModelOptions): Promise<OpenAIClient> {
  const { default: Client } = await loadSdk('openai', 'openaiModel', async () => import('openai'));
  return new Client({
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    fetch: patientFetch,
  });
}

async function* stream(
  connect: () => Promise<OpenAIClient>,
  settings: Settings,
  request: ModelRequest,
): AsyncGenerator<ModelStreamPart> {
  const { model, maxTokensField, options } = settings;
  const { signal } = request;
  const answer = new OpenAIAnswer();
  let streaming = false;
  try {
    const client = await connect();
    const field = maxTokensField ?? maxTokensFieldAt(client.baseURL);
    const answering = client.chat.completions.create(chatRequest(settings, request, field), {
      ...options,
      ...(signal === undefined ? {} : { signal }),
    });
    // The client does not heed the signal while it waits to try again.
    const chunks = await unlessAborted(answering, signal);
    streaming = true;
    for await (const chunk of chunks) yield* answer.take(chunk);
  } catch (error) {
    if (signal?.aborted) throw abortedError(signal);
    // What breaks after the whole answer came takes nothing from it.
    if (!answer.complete) throw toModelError(error, model, streaming);
  }
  if (!answer.complete) {
    // The client ends an aborted stream, and one whose connection closed, without an error.
    throw signal?.aborted ? abortedError(signal) : streamCutError(model);
  }
  yield answer.end();
}

function maxTokensFieldAt(baseUrl: string): MaxTokensField {
  return KNOWS_MAX_COMPLETION_TOKENS.test(baseUrl) ? 'max_completion_tokens' : 'max_tokens';
}
