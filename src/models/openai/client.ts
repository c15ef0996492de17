import type { ClientRequestOptions } from '../shared/client-options.ts';

/**
 * The part of the OpenAI SDK's client that is used, from version 6.0.0 on. Its client for Azure has
 * it too. This is an interface because the private members of the SDK's class make the classes of
 * different versions incompatible.
 */
export interface OpenAIClient {
  readonly baseURL: string;
  readonly chat: {
    readonly completions: {
      /** Takes the body of a streamed request, and resolves to the chunks of its answer. */
      create(body: object, options?: ClientRequestOptions): Promise<AsyncIterable<unknown>>;
    };
  };
}
