import { given } from '../../shared/given.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import { toApiError } from '../shared/api-errors.ts';
import { boundedFetch } from '../shared/bounded-fetch.ts';
import { extraFields, fieldsOfOptions } from '../shared/extra-fields.ts';
import type { LanguageModel } from '../language-model.ts';
import { loadSdk } from '../shared/load-sdk.ts';
import { streamAnswer } from '../shared/stream-answer.ts';
import { OpenAIAnswer } from './answer.ts';
import type { OpenAIClient } from './client.ts';
import { withErrorField } from './error-field.ts';
import { openaiApi } from './errors.ts';
import { chatRequest } from './request.ts';
import type { ChatSettings, OpenAIMaxTokensField } from './request.ts';

export interface OpenAIModelOptions {
  /** The service's name of the model, such as `gpt-5` or `qwen3`. */
  readonly model: string;
  /** Any text if the service needs no key. @default the environment variable OPENAI_API_KEY */
  readonly apiKey?: string;
  /**
   * The URL of the service, such as `http://127.0.0.1:11434/v1`.
   * @default the environment variable OPENAI_BASE_URL, or OpenAI's own
   */
  readonly baseUrl?: string;
  /** Your own client instead of `apiKey` and `baseUrl`. */
  readonly client?: OpenAIClient;
  /**
   * How often the client retries a request after 408, 409, 429, 5xx or a lost connection.
   * @default the client's, which is 2
   */
  readonly maxRetries?: number;
  /**
   * How many tokens the model can read and write in one request. Conversations are kept below it.
   * @default not known
   */
  readonly contextWindowTokens?: number;
  /**
   * False for a model that refuses images. It is told about those that programs show, and does not
   * get them. An image of the user is `MODEL_INPUT_UNSUPPORTED`.
   * @default true
   */
  readonly acceptsImages?: boolean;
  /**
   * The field that limits the answer. Services refuse or ignore the wrong one.
   * @default `max_completion_tokens` at OpenAI and Azure (`azure.com`, `azure.us` and `azure.cn`),
   *   otherwise `max_tokens`
   */
  readonly maxTokensField?: OpenAIMaxTokensField;
  /**
   * How much the model thinks before it answers. Models differ in the values that they accept.
   * @default the model's
   */
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  /** The tier that processes requests. Tiers differ in price and speed. @default the service's */
  readonly serviceTier?: 'auto' | 'default' | 'flex' | 'scale' | 'priority' | 'fast';
  /**
   * Other fields of each request's body, with the service's names, such as `{ prompt_cache_key: 'k'
   * }`. Fields that the adapter sets are `OPTION_INVALID`: `model`, `messages`, `tools`,
   * `max_tokens`, `max_completion_tokens`, `stream`, `stream_options` and `n`, and
   * `reasoning_effort` or `service_tier` if the option for it is set.
   */
  readonly extra?: JsonObject;
  /** Additional headers of each request. */
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

/** OpenAI's newer models refuse `max_tokens`; most other services know only that field. */
const KNOWS_MAX_COMPLETION_TOKENS =
  /^https?:\/\/([\w-]+\.)*(openai\.com|azure\.(com|us|cn))(?=[:/]|$)/;

export const OPENAI_OPTIONS: OptionsObject<OpenAIModelOptions> = {
  of: 'openaiModel',
  names: {
    model: 'text',
    apiKey: 'text',
    baseUrl: 'text',
    client: 'object',
    maxRetries: 'number',
    contextWindowTokens: 'number',
    acceptsImages: 'boolean',
    maxTokensField: 'text',
    effort: 'text',
    serviceTier: 'text',
    extra: 'plain',
    headers: 'plain',
  },
  page: 'docs/models.md',
  required: ['model'],
  otherWords: { baseURL: 'baseUrl', key: 'apiKey', modelId: 'model' },
};

/**
 * Creates a model of any service with OpenAI's Chat Completions API. Nothing is looked up or sent
 * before the first request, which needs the `openai` package unless you pass a client.
 * @throws PtcError `OPTION_INVALID` without `model`, and for a field of `extra` that the adapter sets.
 */
export function openaiModel(options: OpenAIModelOptions): LanguageModel {
  checkOptionNames(options, OPENAI_OPTIONS);
  const { model, contextWindowTokens, maxRetries, headers } = options;
  const extra = extraFields(options.extra, {
    ...OWNED_FIELDS,
    ...fieldsOfOptions(options, { reasoning_effort: 'effort', service_tier: 'serviceTier' }),
  });
  const settings: ChatSettings = { ...options, extra };
  const api = openaiApi(model);
  let { client } = options;
  return {
    id: model,
    ...given({ contextWindowTokens }),
    // The service makes no difference here.
    check: (request) =>
      void chatRequest(settings, request, { service: '', maxTokensField: 'max_tokens' }),
    stream: (request) =>
      streamAnswer({
        model,
        signal: request.signal,
        answer: new OpenAIAnswer(model, () => hostOf(client)),
        open: async (signal) => {
          client ??= await createClient(options);
          const body = chatRequest(settings, request, {
            service: hostOf(client),
            maxTokensField: options.maxTokensField ?? maxTokensFieldAt(client.baseURL),
          });
          return client.chat.completions.create(body, {
            ...given({ headers, maxRetries }),
            signal,
          });
        },
        toError: (thrown, streaming) => toApiError(thrown, model, streaming, api),
      }),
  };
}

async function createClient({ model, apiKey, baseUrl }: OpenAIModelOptions): Promise<OpenAIClient> {
  const { default: Client } = await loadSdk('openai', 'openaiModel', async () => import('openai'));
  return new Client({
    ...given({ apiKey, baseURL: baseUrl }),
    fetch: withErrorField(boundedFetch(model)),
  });
}

/** A URL may have a password, which does not belong into a stored conversation. */
function hostOf(client: OpenAIClient | undefined): string {
  const url = client?.baseURL ?? '';
  return URL.canParse(url) ? new URL(url).host : '';
}

function maxTokensFieldAt(baseUrl: string): OpenAIMaxTokensField {
  return KNOWS_MAX_COMPLETION_TOKENS.test(baseUrl) ? 'max_completion_tokens' : 'max_tokens';
}
