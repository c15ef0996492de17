/**
 * What a program has started and what its end does not stop: operations that Node runs in other
 * threads, and what waits for events, such as message ports. It would continue the ended program amid
 * the next one, call tools in its name, and keep it from ending.
 *
 * So what waits for events is closed. Operations cannot be stopped, and are waited for.
 */

import fs from 'node:fs';
import { isInside } from './enter-program.mjs';
import { isAllSeen } from './started-work.mjs';

const { apply } = Reflect;
const [forEach, setEntry] = ['forEach', 'set'].map((name) => Reflect.get(Map.prototype, name));
const activeHandles = process._getActiveHandles.bind(process);
/** The methods that end what waits for events. Each class has one of them. */
const ENDS = ['close', 'destroy', 'stop'];
/** How a warning names those that the sandbox lets programs make, by their classes. */
const NAMES = {
  __proto__: null,
  MessagePort: ['a message port', 'message ports'],
  StatWatcher: ['a file watcher', 'file watchers'],
};

const { unwatchFile } = fs;
let watchedFiles = [];

/** Node remembers who watches a file, also after the watcher was closed. Comes before `protectTimers`. */
export function noteWatchedFiles() {
  const original = fs.watchFile;
  fs.watchFile = function watchFile(...given) {
    watchedFiles[watchedFiles.length] = given[0];
    return apply(original, this, given);
  };
}

export class LeftWork {
  #supervisor;
  #awaitLine;
  #whenDone;
  // The names of what was closed, by their handles.
  #closed = new Map();

  /**
   * @param {import('node:net').Socket} supervisor - The connection that stays open.
   * @param {(isAwaited: boolean) => void} awaitLine - Sets whether that connection keeps Node running.
   */
  constructor(supervisor, awaitLine) {
    this.#supervisor = supervisor;
    this.#awaitLine = awaitLine;
  }

  /**
   * Closes what waits for events and keeps Node running, and adds names of it to `list`. If it is
   * interrupted, it must be called again, and names what was closed before as well.
   */
  close(list) {
    if (isAllSeen() && this.#closed.size === 0) return;
    const open = activeHandles();
    for (let index = 0; index < open.length; index += 1) {
      if (open[index] !== this.#supervisor) close(open[index], this.#closed);
    }
    const files = watchedFiles;
    watchedFiles = [];
    for (let index = 0; index < files.length; index += 1) endWatching(files[index]);
    const closed = this.#closed;
    this.#closed = new Map();
    addNames(list, closed);
  }

  /** A program begins. The last one has forged the report of its end, if that is not told yet. */
  forget() {
    this.#whenDone = undefined;
  }

  get isWaiting() {
    return this.#whenDone !== undefined;
  }

  /** Calls back when no operation of an ended program goes on. */
  wait(callback) {
    this.#whenDone = callback;
    if (!isInside()) this.check();
  }

  /** Must be called after code of the program and all its jobs. */
  check() {
    if (this.#whenDone === undefined) return;
    if (isAllSeen()) this.onIdle();
    else this.#awaitLine(false);
  }

  /** Must be called when Node has nothing left to do. */
  onIdle() {
    const callback = this.#whenDone;
    if (callback === undefined) return;
    this.#whenDone = undefined;
    this.#awaitLine(true);
    callback();
  }
}

function close(handle, closed) {
  try {
    const { name } = handle.constructor;
    if (NAMES[name] !== undefined) apply(setEntry, closed, [handle, name]);
    for (let index = 0; index < ENDS.length; index += 1) {
      const end = handle[ENDS[index]];
      if (typeof end === 'function') apply(end, handle, []);
    }
  } catch {
    // The program may have changed it. If it stays open, the program runs until its sandbox ends.
  }
}

function endWatching(path) {
  try {
    unwatchFile(path);
  } catch {
    // It was not a path.
  }
}

function addNames(list, closed) {
  const counts = { __proto__: null };
  apply(forEach, closed, [(name) => (counts[name] = (counts[name] ?? 0) + 1)]);
  for (const name in counts) {
    const [one, many] = NAMES[name];
    list[list.length] = counts[name] === 1 ? one : `${counts[name]} ${many}`;
  }
}
