/**
 * The standard streams and the console of a program. The last program may have changed them, so
 * each program gets new streams when it first uses them, and a new console if that was changed.
 */

import nodeConsole from 'node:console';
import fs from 'node:fs';
import stream from 'node:stream';
import util from 'node:util';
import { isUnchanged, noteProperties } from '../guest/noted-properties.mjs';

const { Console } = nodeConsole;
const { writeSync } = fs;
const { Readable, Writable } = stream;
const { isMap } = util.types;
const { apply, defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
const encoder = new TextEncoder();
const NEVER_CLOSED = { autoDestroy: false, emitClose: false };
const encode = Reflect.get(encoder, 'encode');
const sizeOf = getOwnPropertyDescriptor(Map.prototype, 'size').get;

// Makes Node load the modules that the first printed line needs, because an interrupt then would
// leave them half loaded.
new Console(new Writable({ write: (_chunk, _encoding, done) => done() })).log('');

/** For each stream, its descriptor and a copy of it, because a program may close the first one. */
const DESCRIPTORS = { stdout: [1, 5], stderr: [2, 6] };

/** The streams that the current program has used. */
const used = { __proto__: null, stdin: undefined, stdout: undefined, stderr: undefined };
const properties = {
  stdin: propertyFor('stdin', () => new EmptyInput()),
  stdout: propertyForOutput('stdout'),
  stderr: propertyForOutput('stderr'),
};
let current = createConsole();

export function renewStreams() {
  // A snapshot does not contain it.
  nodeConsole.Console ??= Console;
  used.stdin = undefined;
  used.stdout = undefined;
  used.stderr = undefined;
  defineProperty(process, 'stdin', properties.stdin);
  defineProperty(process, 'stdout', properties.stdout);
  defineProperty(process, 'stderr', properties.stderr);
  if (!current.isAsCreated()) current = createConsole();
  define(globalThis, 'console', current.console);
}

function propertyForOutput(name) {
  const [fd, copy] = DESCRIPTORS[name];
  return propertyFor(name, () => new OutputStream(fd, copy));
}

/** A property that creates the stream when a program first reads it. */
function propertyFor(name, create) {
  const get = () => (used[name] ??= create());
  const set = (value) => define(process, name, value);
  return { __proto__: null, get, set, enumerable: false, configurable: true };
}

function createConsole() {
  const targets = [consoleTarget('stdout'), consoleTarget('stderr')];
  const created = new Console(...targets);
  // What it counts, and the times that it takes.
  const maps = ownKeys(created)
    .map((key) => created[key])
    .filter(isMap);
  const noted = [created, ...targets].map(noteProperties);
  const isAsCreated = () => {
    for (let index = 0; index < maps.length; index += 1) {
      if (apply(sizeOf, maps[index], []) !== 0) return false;
    }
    for (let index = 0; index < noted.length; index += 1) {
      if (!isUnchanged(noted[index])) return false;
    }
    return true;
  };
  return { console: created, isAsCreated };
}

/**
 * What the console writes to: the stream, if the program has used it. Otherwise the descriptor,
 * because the stream takes longer than everything else that it takes to print a line.
 */
function consoleTarget(name) {
  const [, fd] = DESCRIPTORS[name];
  return {
    __proto__: null,
    write(text, done) {
      if (used[name] === undefined) writeAll(fd, bytesOf(text));
      else used[name].write(text, done);
    },
    // The console listens for errors while it writes.
    listenerCount: (event) => used[name]?.listenerCount(event) ?? 1,
    once: (event, listener) => used[name]?.once(event, listener),
    removeListener: (event, listener) => used[name]?.removeListener(event, listener),
  };
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

/** Nobody can type input for a program. */
class EmptyInput extends Readable {
  fd = 0;

  _read() {
    this.push(null);
  }
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
