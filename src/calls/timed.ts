import { countLoopTime } from '../shared/async/event-loop-work.ts';

/** Shorter work counts by the clock. */
const SHORT_MS = 0.1;
/** A reading of the processor time is used again for this long, because each takes some microseconds. */
const READING_MS = 1;

/** The processor time of this process, at a moment of the monotonic clock in milliseconds. */
let reading: { readonly atMs: number; readonly used: NodeJS.CpuUsage } | undefined;

/**
 * Does synchronous work and tells how much processor time it took, in milliseconds. That excludes
 * the time in which a busy machine did not let the host run. What other threads do meanwhile, and what
 * was done within a millisecond before, may count too.
 */
export function timed<T>(work: () => T, onDone: ((durationMs: number) => void) | undefined): T {
  if (onDone === undefined) return work();
  const before = recentReading();
  const began = performance.now();
  const value = work();
  const durationMs = performance.now() - began;
  countLoopTime(durationMs);
  const isShort = durationMs < SHORT_MS;
  onDone(isShort ? durationMs : Math.min(durationMs, processorMsSince(before)));
  return value;
}

function recentReading(): NodeJS.CpuUsage {
  const now = performance.now();
  // A clock that a test replaced may have been ahead, and the reading is older than it seems.
  if (reading === undefined || Math.abs(now - reading.atMs) > READING_MS) {
    reading = { atMs: now, used: process.cpuUsage() };
  }
  return reading.used;
}

function processorMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
