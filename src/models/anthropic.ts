import { unlessAborted } from '../shared/abort.ts';
import { AnthropicAnswer } from './anthropic-answer.ts';
import type { AnthropicClient } from './anthropic-client.ts';
import { toModelError } from './anthropic-errors.ts';
import { messagesRequest } from './anthropic-request.ts';
import type { AnthropicThinking } from './anthropic-request.ts';
import type { LanguageModel, ModelRequest, ModelStreamPart } from './language-model.ts';
import { loadSdk } from './load-sdk.ts';
import { abortedError, streamCutError } from './model-errors.ts';
import { patientFetch } from './retry-after.ts';

export type { AnthropicClient, AnthropicThinking };

export interface AnthropicModelOptions {
  /** Such as `claude-opus-5`. */
  readonly model: string;
  /** @default the variable ANTHROPIC_API_KEY, or what else the Anthropic SDK finds */
  readonly apiKey?: string;
  /** Where the service is. @default the variable ANTHROPIC_BASE_URL, or Anthropic's own */
  readonly baseUrl?: string;
  /** A client of one's own, in place of `apiKey` and `baseUrl`. */
  readonly client?: AnthropicClient;
  /** How often a request is sent again after 408, 409, 429, 5xx or a lost connection. @default the client's, which is 2 */
  readonly maxRetries?: number;
  /** How the model thinks before it answers. @default the model's own way */
  readonly thinking?: AnthropicThinking;
}

/**
 * A model behind Anthropic's Messages API. Nothing is looked up or sent before the first request,
 * which needs the `@anthropic-ai/sdk` package unless a client is passed.
 * Prompts are cached by the service: tools, system text and the conversation so far.
 */
export function anthropicModel(options: AnthropicModelOptions): LanguageModel {
  let client = options.client;
  const connect = async (): Promise<AnthropicClient> => {
    client ??= await createClient(options);
    return client;
  };
  return { id: options.model, stream: (request) => stream(connect, options, request) };
}

async function createClient({ apiKey, baseUrl }: AnthropicModelOptions): Promise<AnthropicClient> {
  const { default: Client } = await loadSdk(
    '@anthropic-ai/sdk',
    'anthropicModel',
    async () => import('@anthropic-ai/sdk'),
  );
  return new Client({
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    fetch: patientFetch,
  });
}

async function* stream(
  connect: () => Promise<AnthropicClient>,
  { model, maxRetries, thinking }: AnthropicModelOptions,
  request: ModelRequest,
): AsyncGenerator<ModelStreamPart> {
  const { signal } = request;
  if (signal?.aborted) throw abortedError(signal);
  const answer = new AnthropicAnswer();
  let streaming = false;
  try {
    const client = await connect();
    const answering = client.messages.create(messagesRequest(model, request, thinking), {
      ...(signal === undefined ? {} : { signal }),
      ...(maxRetries === undefined ? {} : { maxRetries }),
    });
    // Not every version of the client heeds the signal while it waits to try again.
    const events = await unlessAborted(answering, signal);
    streaming = true;
    for await (const event of events) {
      const part = answer.take(event);
      if (part !== undefined) yield part;
    }
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
