/**
 * The one way into a program's code, where it can be interrupted: Node's watchdog stops a script on
 * SIGINT, and what the program has put off runs inside that script as well.
 */

import vm from 'node:vm';

// Runs what `process.nextTick` and promises have put off, as Node does after each event.
const runPending = process._tickCallback.bind(process);
const NEVER = new Int32Array(new SharedArrayBuffer(4));
const SIGNAL_DELAY_MS = 5;
const KEY = 'sandboxed-ptc.enter';
const ways = [];

Object.defineProperty(globalThis, Symbol.for(KEY), { value: () => ways.at(-1)() });
const script = new vm.Script(`globalThis[Symbol.for('${KEY}')]()`, { filename: 'runner:gate' });

/**
 * Stays inside for as long as a signal may be on its way that the supervisor sent before it read that a
 * cancelled program has ended: outside it would end the process.
 */
export function awaitSignal() {
  Atomics.wait(NEVER, 0, 0, SIGNAL_DELAY_MS);
}

/** Whether the program's code runs. */
export function isInside() {
  return ways.length > 0;
}

/** Runs a callback and what it puts off. False where it was interrupted. Throws what it throws. */
export function enter(callback) {
  const isOutermost = ways.length === 0;
  let isTaken = false;
  ways.push(() => {
    // By a program that has found the way.
    if (isTaken) return;
    isTaken = true;
    callback();
    if (isOutermost) runPending();
  });
  try {
    script.runInThisContext({ breakOnSigint: true, displayErrors: false });
    return true;
  } catch (error) {
    if (error?.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') return false;
    throw error;
  } finally {
    ways.pop();
  }
}
