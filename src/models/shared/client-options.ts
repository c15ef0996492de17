/** What the adapters pass to a client with each request. */
export interface ClientRequestOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxRetries?: number;
}
