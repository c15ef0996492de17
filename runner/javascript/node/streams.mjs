/**
 * The standard streams of a program. They are created for each program, because the last one may
 * have changed them.
 */

import nodeConsole from 'node:console';
import fs from 'node:fs';
import stream from 'node:stream';

const { Console } = nodeConsole;
const { writeSync } = fs;
const { Writable } = stream;
const { apply, defineProperty } = Reflect;
const encoder = new TextEncoder();
const NEVER_CLOSED = { autoDestroy: false, emitClose: false };
const encode = Reflect.get(encoder, 'encode');

// Makes Node load the modules that the first printed line needs, because an interrupt then would
// leave them half loaded.
new Console(new Writable({ write: (_chunk, _encoding, done) => done() })).log('');

/** For each stream, its descriptor and a copy of it, because a program may close the first one. */
const DESCRIPTORS = { stdout: [1, 5], stderr: [2, 6] };

export function renewStreams() {
  // A snapshot does not contain it.
  nodeConsole.Console ??= Console;
  const stdout = new OutputStream(...DESCRIPTORS.stdout);
  const stderr = new OutputStream(...DESCRIPTORS.stderr);
  define(process, 'stdout', stdout);
  define(process, 'stderr', stderr);
  define(globalThis, 'console', new Console(stdout, stderr));
}

/** Writes to the program's standard error. */
export function warn(text) {
  writeAll(DESCRIPTORS.stderr[1], bytesOf(text));
}

/** Encodes a text, whatever programs have changed in the encoder. */
export function bytesOf(text) {
  return apply(encode, encoder, [text]);
}

export function writeAll(fd, bytes) {
  for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
}

/** Writes at once, so that everything that a program printed is out before its end is reported. */
class OutputStream extends Writable {
  fd;
  #descriptor;

  constructor(fd, descriptor) {
    super(NEVER_CLOSED);
    this.fd = fd;
    this.#descriptor = descriptor;
  }

  _write(chunk, _encoding, done) {
    writeAll(this.#descriptor, chunk);
    done();
  }

  // As for a real process, these streams cannot be closed.

  end(chunk, ...others) {
    if (typeof chunk !== 'function' && chunk !== undefined && chunk !== null) this.write(chunk);
    const done = [chunk, ...others].find((value) => typeof value === 'function');
    process.nextTick(() => {
      done?.();
      // For callers that wait until everything is written, such as `pipeline`.
      this.emit('finish');
    });
    return this;
  }

  destroy() {
    return this;
  }
}

/** Defines a property, if the program has not prevented that. */
function define(owner, name, value) {
  defineProperty(owner, name, { __proto__: null, value, writable: true, configurable: true });
}
