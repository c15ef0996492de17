import { given } from '../../shared/given.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import { toApiError } from '../shared/api-errors.ts';
import { AnthropicAnswer } from './answer.ts';
import type { AnthropicClient } from './client.ts';
import { ANTHROPIC_API } from './errors.ts';
import { messagesRequest } from './request.ts';
import type { MessagesSettings } from './request.ts';
import { type AnthropicThinking, checkThinking } from './thinking.ts';
import { boundedFetch } from '../shared/bounded-fetch.ts';
import { extraFields, fieldsOfOptions } from '../shared/extra-fields.ts';
import type { LanguageModel } from '../language-model.ts';
import { loadSdk } from '../shared/load-sdk.ts';
import { streamAnswer } from '../shared/stream-answer.ts';

export interface AnthropicModelOptions {
  /** The model's id, such as `claude-opus-5`. */
  readonly model: string;
  /**
   * @default the environment variable ANTHROPIC_API_KEY, or other credentials that the Anthropic
   *   SDK finds
   */
  readonly apiKey?: string;
  /**
   * The URL of the service. @default the environment variable ANTHROPIC_BASE_URL, or Anthropic's
   * own
   */
  readonly baseUrl?: string;
  /** Your own client instead of `apiKey` and `baseUrl`. */
  readonly client?: AnthropicClient;
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
  /** How the model thinks before it answers. @default the model's */
  readonly thinking?: AnthropicThinking;
  /**
   * How much work the model puts into an answer. Models differ in the values that they accept.
   * @default the model's
   */
  readonly effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  /** Whether requests may use priority capacity that you have bought. @default the service's */
  readonly serviceTier?: 'auto' | 'standard_only';
  /**
   * Other fields of each request's body, with the service's names, such as `{ speed: 'fast' }`.
   * Fields that the adapter sets are `OPTION_INVALID`: `model`, `messages`, `system`, `tools`,
   * `max_tokens`, `stream`, and `thinking`, `output_config` or `service_tier` if the option for it
   * is set.
   */
  readonly extra?: JsonObject;
  /** Additional headers of each request, such as `{ 'anthropic-beta': '…' }`. */
  readonly headers?: Readonly<Record<string, string>>;
}

const OWNED_FIELDS = {
  model: 'the option model',
  messages: 'the conversation',
  system: 'the conversation',
  tools: 'the conversation',
  max_tokens: 'the conversation, whose option is maxTokens',
  stream: 'the adapter',
};

export const ANTHROPIC_OPTIONS: OptionsObject<AnthropicModelOptions> = {
  of: 'anthropicModel',
  names: {
    model: 'text',
    apiKey: 'text',
    baseUrl: 'text',
    client: 'object',
    maxRetries: 'number',
    contextWindowTokens: 'number',
    thinking: true,
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
 * Creates a model of Anthropic's Messages API. Nothing is looked up or sent before the first
 * request, which needs the `@anthropic-ai/sdk` package unless you pass a client. The service caches
 * the tools, the system prompt and the conversation so far.
 * @throws PtcError `OPTION_INVALID` without `model`, for a field that `thinking` does not have, and
 * for a field of `extra` that the adapter sets.
 */
export function anthropicModel(options: AnthropicModelOptions): LanguageModel {
  checkOptionNames(options, ANTHROPIC_OPTIONS);
  const { model, contextWindowTokens, thinking, maxRetries, headers } = options;
  if (thinking !== undefined) checkThinking(thinking);
  const extra = extraFields(options.extra, {
    ...OWNED_FIELDS,
    ...fieldsOfOptions(options, {
      thinking: 'thinking',
      output_config: 'effort',
      service_tier: 'serviceTier',
    }),
  });
  const settings: MessagesSettings = { ...options, extra };
  let { client } = options;
  return {
    id: model,
    ...given({ contextWindowTokens }),
    stream: (request) =>
      streamAnswer({
        model,
        signal: request.signal,
        answer: new AnthropicAnswer(model),
        open: async (signal) => {
          client ??= await createClient(options);
          const body = messagesRequest(settings, request);
          return client.messages.create(body, { ...given({ headers, maxRetries }), signal });
        },
        toError: (thrown, streaming) => toApiError(thrown, model, streaming, ANTHROPIC_API),
      }),
  };
}

async function createClient({
  model,
  apiKey,
  baseUrl,
}: AnthropicModelOptions): Promise<AnthropicClient> {
  const { default: Client } = await loadSdk(
    '@anthropic-ai/sdk',
    'anthropicModel',
    async () => import('@anthropic-ai/sdk'),
  );
  return new Client({
    ...given({ apiKey, baseURL: baseUrl }),
    fetch: boundedFetch(model),
  });
}
