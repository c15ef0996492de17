/**
 * Runs code of a program so that it can be interrupted. Node's watchdog stops a script on SIGINT,
 * including the jobs that the program has queued. Elsewhere, the signal would end the process, and
 * a late signal would stop the wrong program.
 *
 * So there is a pipe with a token while the script runs. The supervisor sends a signal only if it
 * finds the token, and replaces it by another one, with which this process does not leave the
 * script before the signal has come. If the supervisor finds that one again, it sends another
 * signal. If it finds none, it leaves a request that the next code is the last of the program.
 */

import fs from 'node:fs';
import vm from 'node:vm';
import { awaitOtherThreads } from './other-threads.mjs';
import { watchNumbers } from './started-work.mjs';

const TOKEN_READ = 7;
const TOKEN_WRITE = 8;
const INSIDE = Buffer.from('i');
const INSIDE_BYTE = INSIDE[0];
const SIGNAL_SENT = 's'.charCodeAt(0);
const SIGNAL_SENT_AGAIN = 't'.charCodeAt(0);
const ASKED = 'a'.charCodeAt(0);
/**
 * How long to wait for a signal that was sent, or for the token. The supervisor may wait long for a
 * processor, so this is long, and only a program that manipulates them exceeds it.
 */
const TIMEOUT_MS = 10_000;
/**
 * The same for a signal that may have come already: together with another one, or when Node dropped
 * the interrupt.
 */
const LATE_SIGNAL_TIMEOUT_MS = 50;

// Runs the jobs of `process.nextTick` and of promises, as Node does after each event.
const runPending = process._tickCallback.bind(process);
const { readSync, writeSync } = fs;
const { pid } = process;
const kill = process.kill.bind(process);
const endUncaught = process._fatalException;
const captureUncaught = process.setUncaughtExceptionCaptureCallback.bind(process);
const now = performance.now.bind(performance);
const { get, set } = Reflect;
const { wait } = Atomics;
const NEVER = new Int32Array(new SharedArrayBuffer(4));
const KEY = 'sandboxed-ptc.enter';
const found = Buffer.alloc(2);
const dropped = Buffer.alloc(1024);
// It inherits nothing, because a program may have put setters for indices into a prototype.
const entries = Object.setPrototypeOf([], null);
let interruptions = 0;
let isSelfInterrupted = false;
let isTokenHeld = false;

Object.defineProperty(globalThis, KEY, { value: () => entries[entries.length - 1]() });
// Programs cannot change any value that this script uses.
const script = new vm.Script(`this['${KEY}']()`, { filename: 'runner:enter-program' });

/** Whether the program's code runs. */
export function isInside() {
  return entries.length > 0;
}

/** Interrupts the code that calls this. */
export function interruptSelf() {
  isSelfInterrupted = true;
  kill(pid, 'SIGINT');
  for (;;);
}

/** Runs a callback and the jobs that it queues. False if it was interrupted. Throws its errors. */
export function enter(callback) {
  return entries.length > 0 ? runInside(callback) : enterFromOutside(callback);
}

/** Runs code that would stay broken if it were interrupted. No signal is sent meanwhile. */
export function runUninterrupted(callback) {
  if (entries.length === 0 || isTokenHeld) return callback();
  takeToken();
  if (isSignalSent() && interruptions === 0) {
    wait(NEVER, 0, 0, LATE_SIGNAL_TIMEOUT_MS);
    awaitOtherThreads();
    // The signal has come, and Node has dropped the interrupt.
    interruptSelf();
  }
  awaitSignal();
  // A program that calls this all the time has the token so often that the supervisor never finds it.
  if (hasFound(ASKED)) {
    // Only once, because what ends the program must not be interrupted again.
    for (let index = 0; index < 2; index += 1) if (found[index] === ASKED) found[index] = 0;
    interruptSelf();
  }
  isTokenHeld = true;
  try {
    return callback();
  } finally {
    isTokenHeld = false;
    returnToken();
  }
}

function enterFromOutside(callback) {
  isTokenHeld = false;
  found[0] = 0;
  found[1] = 0;
  interruptions = 0;
  isSelfInterrupted = false;
  let isDone = false;
  let hasLeft = false;
  try {
    // A signal that comes while no script runs ends the process. A second one can come while the
    // interrupted script is left, so another script is around it.
    runInside(() => {
      let thrown;
      try {
        isDone = runInside(() => {
          writeSync(TOKEN_WRITE, INSIDE);
          try {
            watchNumbers(() => {
              callback();
              runPending();
            });
          } finally {
            // Does not wait for a signal. Node may have dropped the interrupt of the code that ran
            // when the signal came, and then interrupts this script when it ends.
            takeToken();
          }
        });
      } catch (error) {
        thrown = { error };
      }
      if (isDone && !isSignalSent()) return;
      while (!hasLeft) {
        hasLeft = runInside(leave);
        if (hasLeft) continue;
        isDone = false;
        thrown = undefined;
      }
      if (thrown !== undefined) throw thrown.error;
    });
    return isDone && !hasFound(ASKED);
  } finally {
    if (interruptions > 0) {
      while (!hasLeft) hasLeft = runInside(leave);
      forgetCalls();
    }
  }
}

/** Takes the token back, so that no signal is sent any more. */
function leave() {
  takeToken();
  awaitSignal();
}

/**
 * Node records the callbacks that it is in. An interrupted one stays recorded, and would end the
 * process with the next one. After an error that was handled, Node clears the record.
 */
function forgetCalls() {
  const emit = get(process, 'emit');
  // The program must not see that error.
  set(process, 'emit', () => false);
  captureUncaught(null);
  captureUncaught(() => {});
  endUncaught?.(undefined);
  captureUncaught(null);
  set(process, 'emit', emit);
}

/** Waits until a signal that was sent has interrupted the code that runs, while it does no harm. */
function awaitSignal() {
  if (!isSignalSent()) return;
  const timeoutMs = signalTimeoutMs();
  if (timeoutMs > 0) wait(NEVER, 0, 0, timeoutMs);
  if (timeoutMs === TIMEOUT_MS) emptyPipe();
  awaitOtherThreads();
}

/** No signal has come: the program wrote into the pipe. Later programs must not wait for what is left of that. */
function emptyPipe() {
  try {
    while (readSync(TOKEN_READ, dropped, 0, 1024, null) > 0);
  } catch {
    // It is empty.
  }
}

function signalTimeoutMs() {
  if (interruptions === 0) return TIMEOUT_MS;
  // There may have been two signals that arrived as one.
  return isSelfInterrupted || hasFound(SIGNAL_SENT_AGAIN) ? LATE_SIGNAL_TIMEOUT_MS : 0;
}

function isSignalSent() {
  return hasFound(SIGNAL_SENT) || hasFound(SIGNAL_SENT_AGAIN);
}

/** Without methods, which a program may have removed. */
function hasFound(byte) {
  return found[0] === byte || found[1] === byte;
}

/** Takes the token. The supervisor has it while it sends a signal, and returns it at once. */
function takeToken() {
  const end = now() + TIMEOUT_MS;
  while (!hasFound(INSIDE_BYTE) && !isSignalSent()) {
    const offset = found[0] === 0 ? 0 : 1;
    try {
      if (readSync(TOKEN_READ, found, offset, 2 - offset, null) > 0) continue;
    } catch {
      // It is not there.
    }
    // Checked after the pipe, because time passes while the guest is frozen.
    if (now() >= end) return;
    wait(NEVER, 0, 0, 1);
  }
}

function returnToken() {
  // If a signal was sent, the guest keeps the token until it leaves.
  if (!hasFound(INSIDE_BYTE)) return;
  found[0] = 0;
  found[1] = 0;
  writeSync(TOKEN_WRITE, INSIDE);
}

/** Runs a callback in the script that can be interrupted. */
function runInside(callback) {
  const depth = entries.length;
  let isTaken = false;
  entries[depth] = () => {
    // A program that has found this function may call it again.
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
    // Removes entries of inner callbacks that were interrupted.
    entries.length = depth;
  }
}
