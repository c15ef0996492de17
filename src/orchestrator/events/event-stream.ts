import { checkSignal } from '../../sessions/executor-options.ts';
import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';

/**
 * Starts a producer of events and returns its events as a stream. If the reader stops, the producer
 * is aborted. The stream ends only after the producer has ended.
 * @throws PtcError `OPTION_INVALID` for an invalid signal; what the producer throws, after its
 *   events.
 */
export function eventsOf<Event>(
  start: (onEvent: (event: Event) => void, signal: AbortSignal) => Promise<unknown>,
  caller: AbortSignal | undefined,
): AsyncGenerator<Event, void> {
  checkSignal(caller);
  const abandon = new AbortController();
  const signal = AbortSignal.any([abandon.signal, ...(caller ? [caller] : [])]);
  const events = read(start, signal, abandon);
  // A generator handles `return` and `throw` only after its next event, which can be long after the
  // call. Callers such as `Readable.from` call them at any time.
  return {
    next: async () => events.next(),
    return: async () => {
      abandon.abort();
      return events.return();
    },
    throw: async (error) => {
      abandon.abort();
      return events.throw(error);
    },
    async [Symbol.asyncDispose]() {
      await this.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* read<Event>(
  start: (onEvent: (event: Event) => void, signal: AbortSignal) => Promise<unknown>,
  signal: AbortSignal,
  abandon: AbortController,
): AsyncGenerator<Event, void> {
  const events = new EventStream<Event>();
  const ended = start((event) => events.push(event), signal).then(
    () => events.close(),
    (error: unknown) => events.fail(error),
  );
  try {
    yield* events.read();
  } finally {
    abandon.abort();
    await ended;
  }
}

/** Events that a producer pushes and one consumer reads at its own pace. */
class EventStream<Event> {
  readonly #events: Event[] = [];
  #wake: Deferred<void> = createDeferred();
  #end: { readonly error: unknown; readonly failed: boolean } | undefined;

  push(event: Event): void {
    this.#events.push(event);
    this.#wake.resolve();
  }

  /** Ends the stream after the events that were pushed. */
  close(): void {
    this.#end = { error: undefined, failed: false };
    this.#wake.resolve();
  }

  /** Ends the stream. The reader gets the error after the events that were pushed. */
  fail(error: unknown): void {
    this.#end = { error, failed: true };
    this.#wake.resolve();
  }

  async *read(): AsyncGenerator<Event, void> {
    for (;;) {
      yield* this.#events.splice(0);
      if (this.#events.length > 0) continue;
      if (this.#end?.failed === true) throw this.#end.error;
      if (this.#end) return;
      await this.#wake.promise;
      this.#wake = createDeferred();
    }
  }
}
