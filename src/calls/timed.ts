import { countLoopTime } from '../shared/async/event-loop-work.ts';

/**
 * Does synchronous work and tells how much processor time it took, in milliseconds. That excludes
 * the time in which a busy machine did not let the host run, although other threads may use the
 * processor meanwhile.
 * @param isShort - Leaves the processor time out: measuring it takes longer than short work, which
 * is rarely interrupted. @default false
 */
export function timed<T>(
  work: () => T,
  onDone: ((durationMs: number) => void) | undefined,
  isShort: boolean = false,
): T {
  if (onDone === undefined) return work();
  const processorBefore = isShort ? undefined : process.cpuUsage();
  const began = performance.now();
  const value = work();
  const durationMs = performance.now() - began;
  countLoopTime(durationMs);
  onDone(processorBefore ? Math.min(durationMs, processorMsSince(processorBefore)) : durationMs);
  return value;
}

function processorMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
