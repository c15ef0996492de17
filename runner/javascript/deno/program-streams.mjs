/** A program's standard streams and its console: made anew for each run, whatever the one before did to them. */

import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';

const { apply } = Reflect;
const nextTick = process.nextTick.bind(process);
const encode = Reflect.get(TextEncoder.prototype, 'encode');
const encoder = new TextEncoder();
const NEVER_CLOSED = { autoDestroy: false, emitClose: false };

/**
 * @param {import('./program-process.mjs').ProgramProcess} owner - Whose streams they are.
 * @param {Record<'stdout' | 'stderr', (bytes: Uint8Array) => void>} roads
 * @returns {Console} which writes to them.
 */
export function renewStreams(owner, roads) {
  const stdout = new OutputStream(1, roads.stdout);
  const stderr = new OutputStream(2, roads.stderr);
  owner.define('stdin', new Readable({ read: endInput }));
  owner.define('stdout', stdout);
  owner.define('stderr', stderr);
  return new Console({ stdout, stderr });
}

/** Nobody is at a program's keyboard. */
function endInput() {
  this.push(null);
}

/** A text as bytes, whatever programs have done to what makes them. */
export function bytesOf(data) {
  return typeof data === 'string' ? apply(encode, encoder, [data]) : data;
}

class OutputStream extends Writable {
  fd;
  #send;

  constructor(fd, send) {
    super(NEVER_CLOSED);
    this.fd = fd;
    this.#send = send;
  }

  /** Writes at once: what a program printed is out before it is said that it has ended. */
  write(data, ...others) {
    this.#send(bytesOf(data));
    callLast(others);
    return true;
  }

  // As in a process of its own, these streams cannot be closed.

  end(...values) {
    const { 0: data } = values;
    if (typeof data !== 'function' && data !== undefined && data !== null)
      this.#send(bytesOf(data));
    callLast(values);
    // For who waits until all is written, as `pipeline` does.
    nextTick(() => this.emit('finish'));
    return this;
  }

  destroy() {
    return this;
  }
}

function callLast(values) {
  const last = values[values.length - 1];
  if (typeof last === 'function') nextTick(last);
}
