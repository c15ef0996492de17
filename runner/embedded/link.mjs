/**
 * The connection between a guest and its supervisor. It is shared memory without a message port: a
 * port creates events, and an event passes its port to every accessor that a program has replaced.
 *
 * This file contains the guest's end. It is used while programs run, so it follows the rule of
 * `byte-ring.mjs`.
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

/** Counts events of the supervisor that the guest may wait for: a message, an interrupt. */
export const WAKES = 0;
/** Counts events of the guest that the supervisor waits for: a line, output, its end. */
export const GUEST_EVENTS = 1;
/** `WAITING` while the guest waits for its next message and nothing else. */
export const STATE = 2;
/** Not 0 if the program must be interrupted. */
export const INTERRUPT = 3;
/** Not 0 if the supervisor holds messages back until the guest waits. */
export const HOLDS = 4;
const WORDS = 5;

const RUNNING = 0;
export const WAITING = 1;

/**
 * Capacities of the queues: messages to the guest and from it, the program's output, and the report
 * of the guest's end.
 */
export const CAPACITIES = {
  inbox: 1 << 20,
  outbox: 1 << 20,
  stdout: 1 << 18,
  stderr: 1 << 18,
  endReport: 1 << 14,
};
const MAX_END_TEXT = 1000;

/** Allocates the memory of one guest: control words, and a queue for each name in `CAPACITIES`. */
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
  #endReport;

  /** @param memory - From `allocateLink`. */
  constructor({ control, inbox, outbox, stdout, stderr, endReport }) {
    this.#control = new Int32Array(control);
    const notifySupervisor = () => {
      add(this.#control, GUEST_EVENTS, 1);
      notify(this.#control, GUEST_EVENTS);
    };
    this.#inbox = new ByteRing(inbox, CAPACITIES.inbox);
    this.#outbox = new ByteRing(outbox, CAPACITIES.outbox, notifySupervisor);
    this.#stdout = new ByteRing(stdout, CAPACITIES.stdout, notifySupervisor);
    this.#stderr = new ByteRing(stderr, CAPACITIES.stderr, notifySupervisor);
    this.#endReport = new ByteRing(endReport, CAPACITIES.endReport, notifySupervisor);
  }

  /** Sends a line, including its newline. Blocks while the queue is full. */
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
   * Reports how the interpreter ended. No line of a program can have this meaning.
   * @param reason - `exit`, `memory` or `crash`.
   * @param status - The exit status, for `exit`.
   * @param account - The description, for `crash`.
   */
  end(reason, status = null, account = '') {
    const text = apply(slice, account, [0, MAX_END_TEXT]);
    const words = stringify({ __proto__: null, reason, status, account: text });
    writeAll(this.#endReport, apply(encode, encoder, [`${words}\n`]));
  }

  /** Returns what the supervisor has sent, up to `limit` bytes. */
  receive(limit = CAPACITIES.inbox) {
    return this.#inbox.read(limit);
  }

  /** The same into memory that is there already. Returns how many bytes were read. */
  receiveInto(target) {
    return this.#inbox.readInto(target);
  }

  get canReceive() {
    return !this.#inbox.isEmpty;
  }

  /** Whether there are messages that arrive only while `blockForMessage` waits. */
  get holdsMessages() {
    return load(this.#control, HOLDS) !== 0;
  }

  /**
   * Must be read before the check for the event that `block` waits for. If the event comes after
   * the check, `block` then returns at once.
   */
  get wakes() {
    return load(this.#control, WAKES);
  }

  /** Blocks until an event of the supervisor, at most for this time. */
  block(wakes, milliseconds) {
    wait(this.#control, WAKES, wakes, milliseconds);
  }

  /**
   * Blocks until an event of the supervisor, which knows that nothing of the program runs
   * meanwhile.
   */
  blockForMessage(wakes) {
    this.#setState(WAITING);
    wait(this.#control, WAKES, wakes);
    this.#setState(RUNNING);
  }

  #setState(state) {
    store(this.#control, STATE, state);
    notify(this.#control, STATE);
  }

  /** Calls back after an event of the supervisor since `wakes` was read. */
  onWake(wakes, callback) {
    follow(waitAsync(this.#control, WAKES, wakes), callback);
  }

  get interrupt() {
    return load(this.#control, INTERRUPT);
  }

  /** Removes an interrupt, if it is still this one. */
  takeInterrupt(seen) {
    compareExchange(this.#control, INTERRUPT, seen, 0);
  }
}

/** Calls back in its own turn of the event loop, after all jobs of promises. */
export function inNewTurn(callback) {
  const word = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  follow(waitAsync(word, 0, 0), callback);
  notify(word, 0);
}

function follow(waiting, callback) {
  if (!waiting.async) return inNewTurn(callback);
  // Without this, `then` looks up a constructor in the prototype.
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
