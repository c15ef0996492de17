import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import type { PtcError } from '../../shared/errors.ts';
import {
  MAX_ANSWER_BYTES,
  MAX_ERROR_BYTES,
  MAX_EVENT_BYTES,
  tooLarge,
} from '../shared/answer-limits.ts';

/** The part of a client's command with which a response can be changed before it is read. */
export interface BoundableCommand {
  readonly middlewareStack: {
    add(
      middleware: Middleware,
      options: { readonly step: 'deserialize'; readonly priority: 'low'; readonly name: string },
    ): void;
  };
}

type Middleware = <Input, Output>(
  next: (input: Input) => Promise<Output>,
) => (input: Input) => Promise<Output>;

/** What a handler of the client returns, with the body as Node's HTTP clients have it. */
interface Answered {
  readonly response: { readonly statusCode: number; body: Readable };
}

type Body = AsyncIterable<Uint8Array>;

/** The first bytes of an event: its length, which includes them. */
const LENGTH_BYTES = 4;

/**
 * Bounds what the client reads of one answer: a service could send without end, and the client
 * reserves memory for an event of any length that the service announces.
 */
export class AnswerBounds {
  readonly #model: string;
  #refusal: PtcError | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  /** The reason why the answer is not read further; undefined if it is. */
  get refusal(): PtcError | undefined {
    return this.#refusal;
  }

  /** Bounds an answer that comes as one JSON text, like one event of a stream. */
  ofWhole(command: BoundableCommand): void {
    boundBody(command, (body) => this.#bounded(body, MAX_EVENT_BYTES));
  }

  /** Bounds an answer that comes as a stream of events. */
  ofEvents(command: BoundableCommand): void {
    boundBody(command, (body) => this.#boundedEvents(this.#bounded(body, MAX_ANSWER_BYTES)));
  }

  async *#bounded(body: Body, limit: number): Body {
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > limit) this.#refuse('it has', limit);
      yield chunk;
    }
  }

  async *#boundedEvents(body: Body): Body {
    const lengths = new EventLengths();
    for await (const chunk of body) {
      if (lengths.largestIn(chunk) > MAX_EVENT_BYTES) {
        this.#refuse('an event of it has', MAX_EVENT_BYTES);
      }
      yield chunk;
    }
  }

  #refuse(what: string, limit: number): never {
    this.#refusal = tooLarge(this.#model, what, limit);
    // Not the same error, because the client adds to the message of what it gets.
    throw new Error(this.#refusal.message);
  }
}

/** Reads how long events are, from pieces of any size. */
class EventLengths {
  /** How many bytes of an event follow after its length. */
  #left = 0;
  #length = 0;
  #lengthBytes = 0;

  /** The largest length that is complete in this piece; 0 if none is. */
  largestIn(chunk: Uint8Array): number {
    let largest = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#left > 0) {
        const skipped = Math.min(this.#left, chunk.length - at);
        this.#left -= skipped;
        at += skipped;
      } else {
        this.#length = this.#length * 256 + (chunk[at] ?? 0);
        this.#lengthBytes += 1;
        at += 1;
        if (this.#lengthBytes === LENGTH_BYTES) {
          largest = Math.max(largest, this.#length);
          this.#left = Math.max(0, this.#length - LENGTH_BYTES);
          this.#length = 0;
          this.#lengthBytes = 0;
        }
      }
    }
    return largest;
  }
}

/** @param bound - For the body of an answer. That of an error is cut off. */
function boundBody(command: BoundableCommand, bound: (body: Body) => Body): void {
  const middleware: Middleware = (next) => async (input) => {
    const result = await next(input);
    if (isAnswered(result)) {
      const { response } = result;
      const { body, statusCode } = response;
      const chunks = statusCode < 300 ? bound(body) : startOfError(body);
      response.body = Readable.from(chunks, { objectMode: false });
    }
    return result;
  };
  // With this priority, it gets the response before the client reads it.
  command.middlewareStack.add(middleware, {
    step: 'deserialize',
    priority: 'low',
    name: 'boundAnswer',
  });
}

/** A handler that does not use Node's HTTP clients has other bodies. */
function isAnswered(result: unknown): result is Answered {
  const { response } = result as { response?: { body?: unknown } };
  return response?.body instanceof Readable;
}

/** The body of an error, or its beginning as the message of one: the client parses it as JSON. */
async function* startOfError(body: Body): Body {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_ERROR_BYTES) {
      const message = Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES).toString('utf8');
      yield Buffer.from(JSON.stringify({ message }));
      return;
    }
  }
  yield* chunks;
}
