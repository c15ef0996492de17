/**
 * Waits for the other threads of the process. One of them is Node's thread for signals: it interrupts the code that runs when a
 * signal has come, and on a busy machine it may wait for a processor longer than any fixed time. Linux lists it as ready to run
 * from the moment at which the signal has come.
 */

import fs from 'node:fs';

/** Only operations that a program has started run longer. */
const LIMIT_MS = 10_000;
const THREADS = '/proc/self/task';
const SLEEPING = 'S';

const { readdirSync, readFileSync, readlinkSync } = fs;
const now = performance.now.bind(performance);
const { wait } = Atomics;
const NEVER = new Int32Array(new SharedArrayBuffer(4));

/** Waits until none of the other threads runs or waits for a processor. */
export function awaitOtherThreads() {
  const end = now() + LIMIT_MS;
  while (isAnyBusy() && now() < end) wait(NEVER, 0, 0, 1);
}

function isAnyBusy() {
  try {
    // Differs from `process.pid` if the directory belongs to another PID namespace.
    const own = readlinkSync('/proc/self');
    const threads = readdirSync(THREADS);
    for (let index = 0; index < threads.length; index += 1) {
      const thread = threads[index];
      if (thread !== own && isBusy(readFileSync(`${THREADS}/${thread}/stat`, 'utf8'))) return true;
    }
  } catch {
    // A thread has ended, or `/proc` is not there.
  }
  return false;
}

/** @param {string} stat - Such as `42 (node) S 1`. The name can contain parentheses. See proc(5). */
function isBusy(stat) {
  let index = stat.length - 1;
  while (index > 0 && stat[index] !== ')') index -= 1;
  return stat[index + 2] !== SLEEPING;
}
