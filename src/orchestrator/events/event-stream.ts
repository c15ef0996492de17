import { checkSignal } from '../../shared/options/option-values.ts';
import { AnySignal } from '../../shared/async/any-signal.ts';
import { createDeferred, type Deferred } from '../../shared/async/deferred.ts';
import { heldBytes } from '../../shared/json/held-bytes.ts';

/**
 * If the events that wait for their reader take more memory, the producer waits. A program decides
 * how many calls it makes, and what is in them.
 */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Waits before its next events if `onEvent` returns a promise. */
type Producer<Event> = (
  onEvent: (event: Event) => Promise<void> | undefined,
  signal: AbortSignal,
) => Promise<unknown>;

/**
 * Starts a producer of events and returns its events as a stream. If the reader stops, the producer
 * is aborted. The stream ends only after the producer has ended.
 * @throws PtcError `OPTION_INVALID` for an invalid signal; what the producer throws, after its
 *   events.
 */
export function eventsOf<Event>(
  start: Producer<Event>,
  caller: AbortSignal | undefined,
): AsyncGenerator<Event, void> {
  checkSignal(caller);
  const abandon = new AbortController();
  const events = read(start, caller, abandon);
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
  start: Producer<Event>,
  caller: AbortSignal | undefined,
  abandon: AbortController,
): AsyncGenerator<Event, void> {
  using either = new AnySignal(abandon.signal, caller);
  const events = new EventStream<Event>();
  const ended = start((event) => events.push(event), either.signal).then(
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

interface Waiting<Event> {
  readonly event: Event;
  /** About how much memory it takes. */
  readonly bytes: number;
}

/** Events that a producer pushes and one consumer reads at its own pace. */
class EventStream<Event> {
  readonly #events: Waiting<Event>[] = [];
  #waitingBytes = 0;
  /** Settles when there is room for more events. Undefined if there is. */
  #room: Deferred<void> | undefined;
  #wake: Deferred<void> = createDeferred();
  #end: { readonly error: unknown; readonly failed: boolean } | undefined;

  /** Returns a promise if the producer must wait. */
  push(event: Event): Promise<void> | undefined {
    const bytes = heldBytes(event, MAX_WAITING_BYTES);
    this.#events.push({ event, bytes });
    this.#waitingBytes += bytes;
    this.#wake.resolve();
    if (this.#waitingBytes <= MAX_WAITING_BYTES) return undefined;
    this.#room ??= createDeferred();
    return this.#room.promise;
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

  #take({ bytes }: Waiting<Event>): void {
    this.#waitingBytes -= bytes;
    if (this.#waitingBytes > MAX_WAITING_BYTES) return;
    this.#room?.resolve();
    this.#room = undefined;
  }

  async *read(): AsyncGenerator<Event, void> {
    for (;;) {
      for (const next of this.#events.splice(0)) {
        this.#take(next);
        yield next.event;
      }
      if (this.#events.length > 0) continue;
      if (this.#end?.failed === true) throw this.#end.error;
      if (this.#end) return;
      await this.#wake.promise;
      this.#wake = createDeferred();
    }
  }
}
