/** A program's standard streams: made anew for each run, whatever the one before did to them. */

import nodeConsole from 'node:console';
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';

const { Console } = nodeConsole;
const { apply, defineProperty } = Reflect;
const encoder = new TextEncoder();
const NEVER_CLOSED = { autoDestroy: false, emitClose: false };
const encode = Reflect.get(encoder, 'encode');

// Has Node load what it loads with the first line that is printed: an interrupt then would leave half of it.
new Console(new Writable({ write: (_chunk, _encoding, done) => done() })).log('');

/** Descriptors of the same roads as 1 and 2, for a program may close those. */
const ROADS = { stdout: [1, 5], stderr: [2, 6] };

export function renewStreams() {
  // A snapshot loses it.
  nodeConsole.Console ??= Console;
  const stdout = new OutputStream(...ROADS.stdout);
  const stderr = new OutputStream(...ROADS.stderr);
  define(process, 'stdout', stdout);
  define(process, 'stderr', stderr);
  define(globalThis, 'console', new Console(stdout, stderr));
}

/** Writes to the program's standard error. */
export function warn(text) {
  writeAll(ROADS.stderr[1], bytesOf(text));
}

/** A text as bytes, whatever programs have done to what makes them. */
export function bytesOf(text) {
  return apply(encode, encoder, [text]);
}

export function writeAll(fd, bytes) {
  for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
}

/** Writes at once: what a program printed is out before it is said that it has ended. */
class OutputStream extends Writable {
  fd;
  #road;

  constructor(fd, road) {
    super(NEVER_CLOSED);
    this.fd = fd;
    this.#road = road;
  }

  _write(chunk, _encoding, done) {
    writeAll(this.#road, chunk);
    done();
  }

  // As in a process of its own, these streams cannot be closed.

  end(chunk, ...others) {
    if (typeof chunk !== 'function' && chunk !== undefined && chunk !== null) this.write(chunk);
    const done = [chunk, ...others].find((value) => typeof value === 'function');
    process.nextTick(() => {
      done?.();
      // For who waits until all is written, as `pipeline` does.
      this.emit('finish');
    });
    return this;
  }

  destroy() {
    return this;
  }
}

/** If the program has left the owner able to take one. */
function define(owner, name, value) {
  defineProperty(owner, name, { __proto__: null, value, writable: true, configurable: true });
}
