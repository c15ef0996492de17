/**
 * What a guest and its supervisor share: memory, and no port. A port hands out events, and an event hands
 * out its port to every accessor that a program has replaced.
 *
 * Below is the guest's end. It is used while programs run, so it follows the rule of `byte-ring.mjs`.
 */

import { ByteRing, sizeOf } from './byte-ring.mjs';

const { add, compareExchange, load, notify, store, wait, waitAsync } = Atomics;
const { Int32Array, SharedArrayBuffer, TextEncoder } = globalThis;
const { apply, defineProperty, get } = Reflect;
const { stringify } = JSON;
const encoder = new TextEncoder();
const encode = get(TextEncoder.prototype, 'encode');
const then = get(Promise.prototype, 'then');
const slice = get(String.prototype, 'slice');

/** Counts what the supervisor has done that the guest may wait for: a message, an interrupt. */
export const WAKES = 0;
/** Counts what the guest has done that the supervisor waits for: a line, output, its end. */
export const BELL = 1;
/** `WAITING` while the guest waits for its next message and for nothing else. */
export const STATE = 2;
/** Not 0 if the program is to be interrupted. */
export const INTERRUPT = 3;
const WORDS = 4;

const RUNNING = 0;
export const WAITING = 1;

/** Sizes of the queues: to the guest, from it, what its program writes, and how it came to its end. */
export const CAPACITIES = {
  inbox: 1 << 20,
  outbox: 1 << 20,
  stdout: 1 << 18,
  stderr: 1 << 18,
  lastWords: 1 << 14,
};
const MAX_LAST_WORDS = 1000;

/** The memory of one guest: control words, and a queue of each name of `CAPACITIES`. */
export function allocateLink() {
  const memory = { control: new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT) };
  for (const [name, capacity] of Object.entries(CAPACITIES)) {
    memory[name] = ByteRing.allocate(capacity);
  }
  return memory;
}

export class SupervisorLink {
  #control;
  #inbox;
  #outbox;
  #stdout;
  #stderr;
  #lastWords;

  /** @param memory - From `allocateLink`. */
  constructor({ control, inbox, outbox, stdout, stderr, lastWords }) {
    this.#control = new Int32Array(control);
    const ring = () => {
      add(this.#control, BELL, 1);
      notify(this.#control, BELL);
    };
    this.#inbox = new ByteRing(inbox, CAPACITIES.inbox);
    this.#outbox = new ByteRing(outbox, CAPACITIES.outbox, ring);
    this.#stdout = new ByteRing(stdout, CAPACITIES.stdout, ring);
    this.#stderr = new ByteRing(stderr, CAPACITIES.stderr, ring);
    this.#lastWords = new ByteRing(lastWords, CAPACITIES.lastWords, ring);
  }

  /** Sends a line, newline included. Blocks while the supervisor has not taken what came before. */
  send(line) {
    writeAll(this.#outbox, line);
  }

  /** Writes to the program's standard output. Blocks as `send` does. */
  print(bytes) {
    writeAll(this.#stdout, bytes);
  }

  /** Writes to the program's standard error. Blocks as `send` does. */
  printError(bytes) {
    writeAll(this.#stderr, bytes);
  }

  /**
   * Tells how the interpreter came to its end. No line of a program's can say this.
   * @param reason - `exit`, `memory` or `crash`.
   * @param status - That of an exit.
   * @param account - Of a crash.
   */
  end(reason, status = null, account = '') {
    const text = apply(slice, account, [0, MAX_LAST_WORDS]);
    const words = stringify({ __proto__: null, reason, status, account: text });
    writeAll(this.#lastWords, apply(encode, encoder, [`${words}\n`]));
  }

  /** What the supervisor has sent, up to `limit` bytes; no bytes if there is nothing. */
  receive(limit = CAPACITIES.inbox) {
    return this.#inbox.read(limit);
  }

  get canReceive() {
    return !this.#inbox.isEmpty;
  }

  /** To be read before what is waited for is looked at; `block` then returns if it came meanwhile. */
  get wakes() {
    return load(this.#control, WAKES);
  }

  /** Blocks until the supervisor does something, for so long at most. */
  block(wakes, milliseconds) {
    wait(this.#control, WAKES, wakes, milliseconds);
  }

  /** Blocks until the supervisor does something. It knows that nothing of the program runs meanwhile. */
  blockForMessage(wakes) {
    this.#setState(WAITING);
    wait(this.#control, WAKES, wakes);
    this.#setState(RUNNING);
  }

  #setState(state) {
    store(this.#control, STATE, state);
    notify(this.#control, STATE);
  }

  /** Calls back once the supervisor has done something since `wakes` were read. */
  onWake(wakes, callback) {
    follow(waitAsync(this.#control, WAKES, wakes), callback);
  }

  get interrupt() {
    return load(this.#control, INTERRUPT);
  }

  /** Takes an interrupt away, if it is still this one. */
  takeInterrupt(seen) {
    compareExchange(this.#control, INTERRUPT, seen, 0);
  }
}

/** Calls back in a turn of its own of the event loop, when all jobs of promises are done. */
export function inNewTurn(callback) {
  const word = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  follow(waitAsync(word, 0, 0), callback);
  notify(word, 0);
}

function follow(waiting, callback) {
  if (!waiting.async) return inNewTurn(callback);
  // Else `then` looks for a constructor in the prototype.
  defineProperty(waiting.value, 'constructor', { __proto__: null, value: undefined });
  apply(then, waiting.value, [callback]);
}

function writeAll(ring, bytes) {
  const size = sizeOf(bytes);
  for (let written = 0; written < size;) {
    written += ring.write(bytes, written);
    ring.waitForRoom();
  }
}
