/**
 * The part of the AWS client that is used, from version 3.968.0 on. This is an interface because
 * the private members of the client's class make the classes of different versions incompatible.
 */
export interface BedrockClient {
  send(command: object, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

/** The tier that processes requests. Tiers differ in price and speed. */
export type BedrockServiceTier = 'default' | 'flex' | 'priority' | 'reserved';
