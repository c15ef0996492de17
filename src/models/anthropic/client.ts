import type { ClientRequestOptions } from '../shared/client-options.ts';

/**
 * The part of the Anthropic SDK's client that is used, from version 0.71.0 on. Its clients for
 * other clouds have it too. This is an interface because the private members of the SDK's class
 * make the classes of different versions incompatible.
 */
export interface AnthropicClient {
  readonly messages: {
    /** Takes the body of a streamed request, and resolves to the events of its answer. */
    create(body: object, options?: ClientRequestOptions): Promise<AsyncIterable<unknown>>;
  };
}
