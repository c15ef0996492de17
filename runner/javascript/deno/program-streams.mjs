/**
 * The standard streams and the console of a program. They are created for each program, because the
 * last one may have changed them.
 */

import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';

const { apply } = Reflect;
const nextTick = process.nextTick.bind(process);
const encode = Reflect.get(TextEncoder.prototype, 'encode');
const encoder = new TextEncoder();
const NEVER_CLOSED = { autoDestroy: false, emitClose: false };

/**
 * @param {import('./program-process.mjs').ProgramProcess} owner - The `process` that gets the
 * streams.
 * @param {Record<'stdout' | 'stderr', (bytes: Uint8Array) => void>} writers
 * @returns {Console} which writes to the streams.
 */
export function renewStreams(owner, writers) {
  const stdout = new OutputStream(1, writers.stdout);
  const stderr = new OutputStream(2, writers.stderr);
  owner.define('stdin', new Readable({ read: endInput }));
  owner.define('stdout', stdout);
  owner.define('stderr', stderr);
  return new Console({ stdout, stderr });
}

/** Standard input is empty. */
function endInput() {
  this.push(null);
}

/** Encodes a text, whatever programs have changed in the encoder. */
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

  /**
   * Writes at once, so that everything that a program printed is out before its end is reported.
   */
  write(data, ...others) {
    this.#send(bytesOf(data));
    callLast(others);
    return true;
  }

  // As for a real process, these streams cannot be closed.

  end(...values) {
    const { 0: data } = values;
    if (typeof data !== 'function' && data !== undefined && data !== null)
      this.#send(bytesOf(data));
    callLast(values);
    // For callers that wait until everything is written, such as `pipeline`.
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
