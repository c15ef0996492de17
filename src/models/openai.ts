import { unlessAborted } from '../shared/abort.ts';
import type { LanguageModel, ModelRequest, ModelStreamPart } from './language-model.ts';
import { loadSdk } from './load-sdk.ts';
import { abortedError, streamCutError } from './model-errors.ts';
import { OpenAIAnswer } from './openai-answer.ts';
import type { OpenAIClient } from './openai-client.ts';
import { toModelError } from './openai-errors.ts';
import { chatRequest } from './openai-request.ts';
import type { MaxTokensField } from './openai-request.ts';
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
  /**
   * Which field limits the answer; the wrong one is refused or ignored.
   * @default `max_completion_tokens` at OpenAI and Azure, else `max_tokens`
   */
  readonly maxTokensField?: MaxTokensField;
}

/** OpenAI's newer models refuse `max_tokens`; most other services know nothing else. */
const KNOWS_MAX_COMPLETION_TOKENS = /^https?:\/\/([\w-]+\.)*(openai|azure)\.com(?=[:/]|$)/;

/**
 * A model behind any service that speaks OpenAI's Chat Completions API. Nothing is looked up or sent
 * before the first request, which needs the `openai` package unless a client is passed.
 */
export function openaiModel(options: OpenAIModelOptions): LanguageModel {
  let client = options.client;
  const connect = async (): Promise<OpenAIClient> => {
    client ??= await createClient(options);
    return client;
  };
  return { id: options.model, stream: (request) => stream(connect, options, request) };
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
  { model, maxRetries, maxTokensField }: OpenAIModelOptions,
  request: ModelRequest,
): AsyncGenerator<ModelStreamPart> {
  const { signal } = request;
  const answer = new OpenAIAnswer();
  let streaming = false;
  try {
    const client = await connect();
    const field = maxTokensField ?? maxTokensFieldAt(client.baseURL);
    const answering = client.chat.completions.create(chatRequest(model, request, field), {
      ...(signal === undefined ? {} : { signal }),
      ...(maxRetries === undefined ? {} : { maxRetries }),
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
