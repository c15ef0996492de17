import { AsyncResource } from 'node:async_hooks';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { Script, createContext, type Context } from 'node:vm';

/** Thrown when work exceeds its time limit. */
export class DeadlineError extends Error {
  readonly limitMs: number;
  /** The processor time that the work got. On a busy machine, it can be much less than the limit. */
  readonly processorMs: number;

  constructor(limitMs: number, usedMs: number) {
    super(`took longer than ${limitMs} ms`);
    this.limitMs = limitMs;
    this.processorMs = usedMs;
  }
}

/** Where work runs. */
interface Place {
  readonly context: Context;
  readonly script: Script;
}

/** How often work is tried. */
const MAXIMUM_TRIES = 5;
/**
 * The smallest share of a processor that a busy machine is expected to give. It bounds how long an
 * attempt can block the event loop: ten times its limit in processor time.
 */
const LEAST_SHARE = 0.1;
/** The time limits of all attempts together, measured in processor time, as a multiple of the limit. */
const MOST = 1.5;
/**
 * V8's watchdog needs four file descriptors (measured with Node 20), and Node ends the process if it
 * does not get them. Other threads may open some at the same moment.
 */
const WATCHDOG_DESCRIPTORS = 8;
/** Ends nothing that ever ends. */
const FIRST_RUN_MS = 60_000;

// Created at first use: a context takes milliseconds and a megabyte.
let place: Place | undefined;

/**
 * Runs synchronous work and stops it at its time limit, even in a loop or a regular expression: V8
 * stops it from another thread, and neither `catch` nor `finally` in it runs. A call costs about
 * 0.1 ms.
 *
 * Work that was stopped is started again, because the time may not have been its own: a busy machine
 * let other threads run, or V8 collected garbage. All attempts together get about one and a half
 * times the limit in processor time. V8 measures only the time that has passed, so each attempt gets
 * up to twice as much of that as the last one, if that had the processor for a part of its time
 * only. A collection counts at most as much as the attempt in which it began, so work always has a
 * second attempt.
 *
 * Changes of the current asynchronous context by the work are undone afterwards, because work that
 * was stopped cannot undo them. The work cannot enter the scope of an `AsyncResource`: Node ends
 * the process if that scope is never left.
 * @throws DeadlineError, or the system's error if this process cannot open more files.
 */
export function withinDeadline<T>(limitMs: number, work: () => T): T {
  assertDescriptors();
  const own = prepared();
  const before = processorMs();
  let left = MOST * limitMs;
  for (let tries = 1, timeout = limitMs, start = before; ; tries++) {
    try {
      return new AsyncResource('withinDeadline').runInAsyncScope(
        run<T>,
        undefined,
        own,
        work,
        timeout,
      );
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const now = processorMs();
      const got = Math.min(now - start, timeout);
      left -= got;
      if (left < 1 || tries === MAXIMUM_TRIES) throw new DeadlineError(limitMs, now - before);
      timeout = Math.ceil(Math.min(2 * timeout, left / Math.max(got / timeout, LEAST_SHARE)));
      start = now;
    }
  }
}

/** @throws Error with the code `EMFILE` or `ENFILE`. */
function assertDescriptors(): void {
  const opened: number[] = [];
  try {
    while (opened.length < WATCHDOG_DESCRIPTORS) opened.push(openSync(devNull, 'r'));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** The first run takes milliseconds too, as its watchdog does. On a busy machine, work would have no time left. */
function prepared(): Place {
  if (place !== undefined) return place;
  place = { context: createContext(Object.create(null)), script: new Script('work()') };
  run(place, () => {}, FIRST_RUN_MS);
  return place;
}

function run<T>({ context, script }: Place, work: () => T, timeout: number): T {
  context['work'] = work;
  // Read now, because a monitoring library may have replaced it since this module was loaded.
  // oxlint-disable-next-line typescript/unbound-method -- it is never called here, only put back below
  const { runInAsyncScope } = AsyncResource.prototype;
  AsyncResource.prototype.runInAsyncScope = refuseScope;
  try {
    return script.runInContext(context, { timeout, displayErrors: false }) as T;
  } finally {
    AsyncResource.prototype.runInAsyncScope = runInAsyncScope;
    context['work'] = undefined;
  }
}

function refuseScope(): never {
  throw new Error('code that runs under a deadline cannot enter the scope of an AsyncResource');
}

/**
 * The processor time of this thread, or of the whole process on systems that do not report it for a
 * thread.
 */
function processorMs(): number {
  try {
    const ns = Number.parseInt(readFileSync('/proc/thread-self/schedstat', 'latin1'), 10);
    // Some kernels have the file, but count nothing.
    if (ns > 0) return ns / 1e6;
  } catch {
    // This system does not have the file.
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function isTimeout(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error && error.code;
  return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
