/**
 * The one way into a program's code, where it can be interrupted: Node's watchdog stops a script on
 * SIGINT, and what the program has put off runs inside that script as well. Outside of it the signal would end
 * the process, and a late one stop the wrong program. So the supervisor sends one only while it finds the token
 * that lies in a pipe while the script runs, and leaves another there, with which nobody gets out before the
 * signal has come; where it finds that one again, it sends another signal. Where it finds none, it leaves word that
 * the next way in is the last.
 */

import fs from 'node:fs';
import vm from 'node:vm';

const TOKEN_READ = 7;
const TOKEN_WRITE = 8;
const INSIDE = Buffer.from('i');
const INSIDE_BYTE = INSIDE[0];
const SIGNAL_SENT = 's'.charCodeAt(0);
const SIGNAL_SENT_AGAIN = 't'.charCodeAt(0);
const ASKED = 'a'.charCodeAt(0);
/** How long a signal that was sent is waited for, or the token. Only a program that meddles with them exceeds it. */
const PATIENCE_MS = 1000;
/** The same of a signal that may have come together with another one. */
const TWIN_PATIENCE_MS = 50;

// Runs what `process.nextTick` and promises have put off, as Node does after each event.
const runPending = process._tickCallback.bind(process);
const { readSync, writeSync } = fs;
const { pid } = process;
const kill = process.kill.bind(process);
const endUncaught = process._fatalException;
const captureUncaught = process.setUncaughtExceptionCaptureCallback.bind(process);
const now = performance.now.bind(performance);
const { wait } = Atomics;
const NEVER = new Int32Array(new SharedArrayBuffer(4));
const KEY = 'sandboxed-ptc.enter';
const found = Buffer.alloc(2);
// It inherits nothing: a program may have put setters for indices into a prototype.
const ways = Object.setPrototypeOf([], null);
let interruptions = 0;
let isSelfInterrupted = false;
let isTokenHeld = false;

Object.defineProperty(globalThis, KEY, { value: () => ways[ways.length - 1]() });
// Nothing in it can be given another value by a program.
const script = new vm.Script(`this['${KEY}']()`, { filename: 'runner:gate' });

/** Whether the program's code runs. */
export function isInside() {
  return ways.length > 0;
}

/** Interrupts the code that calls this. */
export function interruptSelf() {
  isSelfInterrupted = true;
  kill(pid, 'SIGINT');
  for (;;);
}

/** Runs a callback and what it puts off. False where it was interrupted. Throws what it throws. */
export function enter(callback) {
  return ways.length > 0 ? runInside(callback) : enterFromOutside(callback);
}

/** Runs what would be broken for good if it were cut off: no signal is sent meanwhile. */
export function runWhole(callback) {
  if (ways.length === 0 || isTokenHeld) return callback();
  takeToken();
  awaitSignal();
  isTokenHeld = true;
  try {
    return callback();
  } finally {
    isTokenHeld = false;
    giveTokenBack();
  }
}

function enterFromOutside(callback) {
  isTokenHeld = false;
  found[0] = 0;
  found[1] = 0;
  interruptions = 0;
  isSelfInterrupted = false;
  try {
    const isDone = runInside(() => {
      writeSync(TOKEN_WRITE, INSIDE);
      try {
        callback();
        runPending();
      } finally {
        takeToken();
        awaitSignal();
      }
    });
    return isDone && !hasFound(ASKED);
  } finally {
    if (interruptions > 0) leaveInterrupted();
  }
}

/** Leaves what was interrupted, wherever it was then. */
function leaveInterrupted() {
  forgetCalls();
  takeToken();
  if (signalPatience() > 0) runInside(awaitSignal);
}

/**
 * Node keeps a record of the callbacks that it is in. One that was interrupted stays there, and with the next it would
 * end the process. After an error that somebody took it forgets them all.
 */
function forgetCalls() {
  captureUncaught(null);
  captureUncaught(() => {});
  endUncaught?.(undefined);
  captureUncaught(null);
}

/** Has a signal that was sent come while it does no harm. */
function awaitSignal() {
  const patienceMs = signalPatience();
  if (patienceMs > 0) wait(NEVER, 0, 0, patienceMs);
}

function signalPatience() {
  if (!isSignalSent()) return 0;
  if (interruptions === 0) return PATIENCE_MS;
  // There may have been two, and both may have come as one.
  return isSelfInterrupted || hasFound(SIGNAL_SENT_AGAIN) ? TWIN_PATIENCE_MS : 0;
}

function isSignalSent() {
  return hasFound(SIGNAL_SENT) || hasFound(SIGNAL_SENT_AGAIN);
}

/** Without methods, which a program may have taken away. */
function hasFound(byte) {
  return found[0] === byte || found[1] === byte;
}

/** Takes the token; the supervisor, which has it while it sends a signal, gives it back at once. */
function takeToken() {
  const end = now() + PATIENCE_MS;
  while (!hasFound(INSIDE_BYTE) && !isSignalSent()) {
    const offset = found[0] === 0 ? 0 : 1;
    try {
      if (readSync(TOKEN_READ, found, offset, 2 - offset, null) > 0) continue;
    } catch {
      // It is not there.
    }
    // Looked at after the pipe: while the guest is frozen, time goes by.
    if (now() >= end) return;
    wait(NEVER, 0, 0, 1);
  }
}

function giveTokenBack() {
  // Where a signal was sent, the guest keeps it until it leaves.
  if (!hasFound(INSIDE_BYTE)) return;
  found[0] = hasFound(ASKED) ? ASKED : 0;
  found[1] = 0;
  writeSync(TOKEN_WRITE, INSIDE);
}

/** Runs a callback in the script that can be interrupted. */
function runInside(callback) {
  const depth = ways.length;
  let isTaken = false;
  ways[depth] = () => {
    // By a program that has found the way.
    if (isTaken) return;
    isTaken = true;
    callback();
  };
  try {
    script.runInThisContext({ breakOnSigint: true, displayErrors: false });
    return true;
  } catch (error) {
    if (error?.code !== 'ERR_SCRIPT_EXECUTION_INTERRUPTED') throw error;
    interruptions += 1;
    return false;
  } finally {
    // What was interrupted further in has not come to its own end.
    ways.length = depth;
  }
}
