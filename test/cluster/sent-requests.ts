import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, on } from 'node:events';
import type { ClientRequest } from 'node:http';
import { afterAll, beforeAll } from 'vitest';

const CHANNEL = 'http.client.request.start';

/** The requests that this process sends, such as `GET /api/v1/pods`, in their order. */
export class SentRequests {
  readonly #events = new EventEmitter<{ request: [string] }>();
  #all: string[] = [];

  /** All since the last call. */
  take(): readonly string[] {
    const all = this.#all;
    this.#all = [];
    return all;
  }

  /** How many were sent since the last call of `take`. */
  get count(): number {
    return this.#all.length;
  }

  /** The next ones. */
  async next(count: number): Promise<readonly string[]> {
    const next: string[] = [];
    for await (const [request] of on(this.#events, 'request') as AsyncIterable<[string]>) {
      if (next.push(request) === count) break;
    }
    return next;
  }

  readonly note = (message: unknown): void => {
    const { method, path } = (message as { readonly request: ClientRequest }).request;
    this.#all.push(`${method} ${path}`);
    this.#events.emit('request', `${method} ${path}`);
  };
}

/** Records the requests while the tests of a file run. */
export function useSentRequests(): SentRequests {
  const requests = new SentRequests();
  beforeAll(() => subscribe(CHANNEL, requests.note));
  afterAll(() => void unsubscribe(CHANNEL, requests.note));
  return requests;
}
