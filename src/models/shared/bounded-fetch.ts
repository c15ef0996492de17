import { MAX_ANSWER_BYTES, MAX_ERROR_BYTES, MAX_EVENT_BYTES, tooLarge } from './answer-limits.ts';
import { fetchWithWaitLimit } from '../retry-after.ts';

/** The empty lines that end an event. */
const ENDS_OF_EVENT = ['\n\n', '\r\r', '\r\n\r\n'];
const LONGEST_END = 4;
const FIRST_CAPACITY = 64 * 1024;

/** As `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * Returns a `fetch` for the client of a model's service, which could send without end, or little
 * that is large when it is decompressed. An answer that is too large becomes the error
 * `MODEL_ANSWER_INVALID`, and the body of an error is cut off.
 */
export function boundedFetch(model: string): Fetch {
  return async (input, init) => {
    const response = await fetchWithWaitLimit(input, init);
    const { body, ok, status, statusText, headers } = response;
    if (body === null) return response;
    const bounded = body.pipeThrough(ok ? wholeEvents(model) : startOfBody());
    return new Response(bounded, { status, statusText, headers });
  };
}

/**
 * Passes on whole events only. The clients copy what they have of an event with each piece of it
 * that arrives, which takes minutes for a large one.
 */
function wholeEvents(model: string): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  const events = new Events();
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) throw tooLarge(model, 'it has', MAX_ANSWER_BYTES);
      const whole = events.add(chunk);
      if (whole.length > 0) controller.enqueue(whole);
      if (events.unfinished.length > MAX_EVENT_BYTES) {
        throw tooLarge(model, 'an event of it has', MAX_EVENT_BYTES);
      }
    },
    flush(controller) {
      if (events.unfinished.length > 0) controller.enqueue(events.unfinished);
    },
  });
}

function startOfBody(): TransformStream<Uint8Array, Uint8Array> {
  let room = MAX_ERROR_BYTES;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, room));
      room -= chunk.length;
      if (room <= 0) controller.terminate();
    },
  });
}

/** Puts events together from pieces of any size. */
class Events {
  #buffer: Buffer = Buffer.alloc(FIRST_CAPACITY);
  #length = 0;

  /** What arrived of the last event. */
  get unfinished(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Returns the events that end in this piece; empty if none does. */
  add(piece: Uint8Array): Buffer {
    const searchFrom = Math.max(0, this.#length - LONGEST_END + 1);
    this.#append(piece);
    const ends = ENDS_OF_EVENT.map((end) => {
      const at = this.unfinished.subarray(searchFrom).lastIndexOf(end);
      return at === -1 ? 0 : searchFrom + at + end.length;
    });
    const end = Math.max(...ends);
    const whole = Buffer.from(this.#buffer.subarray(0, end));
    this.#buffer.copyWithin(0, end, this.#length);
    this.#length -= end;
    return whole;
  }

  #append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.alloc(2 * length);
      larger.set(this.unfinished);
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = length;
  }
}
