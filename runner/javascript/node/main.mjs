/**
 * The guest in a Node process: its streams, signals, and the functions of the process that programs
 * can call.
 */

import fs from 'node:fs';
import net from 'node:net';
import util from 'node:util';
import { encode, READY } from '../guest/messages/frames.mjs';
import { Guest } from '../guest/guest.mjs';
import { WaitTeller } from '../guest/messages/wait-teller.mjs';
import { ProcessEvents, UNHANDLED } from '../guest/process-events.mjs';
import { compileProgram } from '../compile/program.mjs';
import { trackOtherWaits } from '../guest/other-waits.mjs';
import { trackTimers } from '../guest/timers.mjs';
import { enter, interruptSelf, isInside, runUninterrupted } from './enter-program.mjs';
import { LeftWork, noteWatchedFiles } from './left-work.mjs';
import { evaluate, loadImports, loadWhole } from './node-modules.mjs';
import { provideOwnFile } from './own-file.mjs';
import { protectTimers } from './protected-timers.mjs';
import { beginNumbering, countNumbers, isAllSeen, noteSeen } from './started-work.mjs';
import { bytesOf, renewStreams, warn, writeAll } from './streams.mjs';
import { noteTests, refuseLaterTests } from './test-reports.mjs';

const FROM_SUPERVISOR = 3;
const TO_SUPERVISOR = 4;

const { setImmediate: afterThis } = globalThis;
const { apply } = Reflect;
const { inspect } = util;
const { readFileSync: readFile } = fs;
const [ref, unref] = ['ref', 'unref'].map((name) => Reflect.get(net.Socket.prototype, name));
const endProcess = process.exit.bind(process);
const { get: getExitCode, set: setExitCode } = Reflect.getOwnPropertyDescriptor(
  process,
  'exitCode',
);

const waitTeller = new WaitTeller({
  send: (line) => sendToSupervisor(line),
  // Otherwise `enter` tells it, after the jobs of the code that made the call.
  afterJobs: () => {
    if (!isInside()) afterThis(() => waitTeller.tell());
  },
  waits: () => (timers.areImmediatesLeft ? undefined : isAllSeen()),
});
const guest = new Guest({
  send: (line) => sendToSupervisor(line),
  enter: (callback) => {
    try {
      return enter(callback);
    } finally {
      if (!isInside()) {
        waitTeller.tell();
        leftWork.check();
      }
    }
  },
  waitTeller,
  evaluate: (text, filename, columnOffset) => {
    loadImports(text);
    return evaluate(text, { filename, columnOffset });
  },
  awaitLine,
  // Node itself reports that nothing is left to do.
  onStatementsDone: () => {},
  isListening: () => events.isListening(),
  tellIdle: () => events.tellIdle(exitCode()),
  afterLeftWork: (callback) => leftWork.wait(callback),
  inspect: (value) => inspect(value),
  readFile,
  warn,
  prepare: () => {
    leftWork.forget();
    takeExitCode();
    renewStreams();
  },
  exitStatus: () => takeExitCode(),
  offer: (error, origin, promise) => events.offer(error, origin, promise),
  tellExit: (code) => {
    if (code !== 0) apply(setExitCode, process, [code]);
    events.tellExit(exitCode());
  },
  release: (left) => {
    events.endListening();
    timers.release(left);
    leftWork.close(left);
    refuseLaterTests();
  },
  uninterrupted: runUninterrupted,
  compileProgram,
});
const timers = trackTimers(guest, runUninterrupted, noteSeen);
noteWatchedFiles();
protectTimers();
trackOtherWaits(guest);
noteTests();

// An error or a rejection without a handler ends the program, not the process.
const onUncaught = (error) => {
  if (!events.hasListeners('uncaughtException')) guest.fail(error);
};
const onUnhandled = (reason) => {
  // Node itself has called the program's listeners.
  if (events.hasListeners(UNHANDLED)) return;
  if (!events.offer(reason, UNHANDLED)) guest.reject(reason);
};
process.on('uncaughtException', onUncaught).on('unhandledRejection', onUnhandled);
const events = new ProcessEvents(
  process,
  (listener) => listener === onUncaught || listener === onUnhandled,
);
const emit = Reflect.get(process, 'emit');
process.emit = function (name, ...values) {
  // An event that a program emits itself is for its own listeners.
  if (name !== 'beforeExit' || isInside()) return apply(emit, this, [name, ...values]);
  // Nothing is left that keeps the process alive.
  leftWork.onIdle();
  guest.onIdle();
  // Otherwise Node would end now if the program continues without anything that it waits for, or if its end is not told yet.
  if (guest.run !== undefined || leftWork.isWaiting) afterThis(() => {});
  return true;
};

/**
 * Ends the program at once, as it would end the process: nothing of the program runs afterwards, unless
 * it catches the error that ends a callback of Node, whose code cannot be interrupted.
 */
process.exit = (...given) => {
  // Throws an error if the value is not a status.
  if (given.length > 0) apply(setExitCode, process, [given[0]]);
  const status = takeExitCode();
  if (isInside()) {
    guest.requestExit(status);
    interruptSelf();
  }
  guest.exit(status);
  throw new Error('the program called process.exit');
};

// After Node has finished the script that it was given, because it sets one of these names then.
process.nextTick(() => {
  provideOwnFile();
  loadWhole();
  beginNumbering();
});

// Node records callbacks while they run, and an interrupt must not leave the record unfinished.
for (const [owner, name] of [
  [process, 'nextTick'],
  [globalThis, 'queueMicrotask'],
]) {
  const original = owner[name].bind(owner);
  const numbers = countNumbers(() => original(() => {}));
  owner[name] = (callback, ...values) => {
    if (typeof callback !== 'function') {
      original(callback);
      return;
    }
    const { run } = guest;
    original(() => guest.callback(() => apply(callback, undefined, values), run));
    noteSeen(numbers);
  };
}

/** The status that the program has set, which Node has checked. */
function exitCode() {
  return Number(apply(getExitCode, process, []) ?? 0);
}

function takeExitCode() {
  const status = exitCode() & 0xff;
  apply(setExitCode, process, [undefined]);
  return status;
}

/**
 * Ends the process if the connection to the supervisor is lost, because nothing it sends would
 * arrive.
 */
function sendToSupervisor(line) {
  try {
    writeAll(TO_SUPERVISOR, bytesOf(line));
  } catch {
    endProcess(1);
  }
}

/** Whole lines from the supervisor. A result may have megabytes, in many chunks. */
let chunks = [];
const concat = Reflect.get(Buffer, 'concat');
const from = Reflect.get(Buffer, 'from');
const [indexOf, subarray, utf8Slice] = ['indexOf', 'subarray', 'utf8Slice'].map((name) =>
  Reflect.get(Buffer.prototype, name),
);
// With a stream, Node would run its own callbacks after each chunk.
const onread = { buffer: Buffer.allocUnsafeSlow(1 << 16), callback: takeChunk };
const supervisor = new net.Socket({ fd: FROM_SUPERVISOR, writable: false, onread });
supervisor.once('end', () => endProcess(0));
const leftWork = new LeftWork(supervisor, awaitLine);

/** Sets whether the connection to the supervisor keeps Node running. */
function awaitLine(isAwaited) {
  apply(isAwaited ? ref : unref, supervisor, []);
}

/** Handles the first `length` bytes of a buffer that is used again. */
function takeChunk(length, buffer) {
  let start = 0;
  while (start < length) {
    const found = apply(indexOf, buffer, [0x0a, start]);
    const isWhole = found !== -1 && found < length;
    const end = isWhole ? found : length;
    if (chunks.length === 0 && isWhole) onLine(apply(utf8Slice, buffer, [start, end]));
    else {
      // A copy, because the buffer is used again.
      chunks[chunks.length] = apply(from, Buffer, [apply(subarray, buffer, [start, end])]);
      if (!isWhole) return;
      const line = apply(concat, Buffer, [chunks]);
      chunks = [];
      onLine(apply(utf8Slice, line, []));
    }
    start = end + 1;
  }
}

function onLine(line) {
  guest.onLine(line);
  // Otherwise Node itself reports that nothing is left to do.
  if (guest.isDone && !timers.areLeft && isAllSeen()) guest.onIdle();
}

sendToSupervisor(encode(READY, { version: process.version.slice(1) }));
