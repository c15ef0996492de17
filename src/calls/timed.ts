import { countLoopTime } from '../shared/async/event-loop-work.ts';

/** Shorter work counts by the clock: to read the processor time again takes a microsecond. */
const SHORT_MS = 0.1;

/**
 * Does synchronous work and tells how much processor time it took, in milliseconds. That excludes
 * the time in which a busy machine did not let the host run, although other threads may use the
 * processor meanwhile.
 */
export function timed<T>(work: () => T, onDone: ((durationMs: number) => void) | undefined): T {
  if (onDone === undefined) return work();
  const processorBefore = process.cpuUsage();
  const began = performance.now();
  const value = work();
  const durationMs = performance.now() - began;
  countLoopTime(durationMs);
  const isShort = durationMs < SHORT_MS;
  onDone(isShort ? durationMs : Math.min(durationMs, processorMsSince(processorBefore)));
  return value;
}

function processorMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
