// Measures the cost of an input, and decides whether it is too high.

import { readFileSync } from 'node:fs';

/** More processor time than this delays the other users of the host. */
export const LIMIT_MS = 50;
/**
 * And this multiple of what a plain input of the same size takes, because a slow machine is not a
 * finding.
 */
const LIMIT_RATIO = 20;
/** After this time, the process of an input is ended, which is a finding. */
export const DEADLINE_MS = 2000;
/** How many runs are compared if one may have been disturbed. */
export const REPEATS = 3;

/** Inputs of this size must not take long, even if they are plain. */
export const LARGEST_BYTES = 2 ** 16;

/** Whether an input with this cost is a finding, compared with a plain one of its size. */
export function isFinding({ cpuMs, harmlessMs, bytes }) {
  const isPlainSlow = harmlessMs > LIMIT_MS && bytes <= LARGEST_BYTES;
  return cpuMs > LIMIT_MS && (cpuMs > LIMIT_RATIO * harmlessMs || isPlainSlow);
}

/**
 * The processor time of one run, in milliseconds. Time in which this process did not run does not
 * count.
 * @param target - Its `clock` is `main-thread` if other threads work on its behalf, and `turn` if
 *   it works in turns of the event loop, of which the longest counts: between them, others can run.
 */
export async function costOf(target, input) {
  if (target.clock === 'turn') return longestTurn(target, input);
  const clock = target.clock === 'main-thread' ? mainThreadMs : processMs;
  const before = clock();
  await target.run(input);
  return clock() - before;
}

async function longestTurn(target, input) {
  let longest = 0;
  let begin = processMs();
  const look = () => {
    const now = processMs();
    longest = Math.max(longest, now - begin);
    begin = now;
    next = setImmediate(look);
  };
  let next = setImmediate(look);
  await target.run(input);
  clearImmediate(next);
  return Math.max(longest, processMs() - begin);
}

/** The minimum of several runs, so that simultaneous work does not count. */
export async function leastCost(target, input) {
  let least = Infinity;
  for (let left = REPEATS; left > 0; left -= 1)
    least = Math.min(least, await costOf(target, input));
  return least;
}

/** The processor time of this process since its start, in milliseconds. */
export function processMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** If the kernel does not report it, the time of all threads. */
function mainThreadMs() {
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(
      ' ',
    );
    return Number(nanoseconds) / 1e6;
  } catch {
    return processMs();
  }
}
