import { countedTwice, sumOf } from './memory-use.ts';
import { memoryOf, type SandboxProcess, type Share } from '../processes.ts';
import { findVforkChildren } from './vfork-children.ts';

/** A process, and what the kernel holds for it alone, without its pages. */
export interface HeldProcess {
  readonly process: SandboxProcess;
  readonly kernelBytes: number;
}

/** The result of a measurement. */
export interface MeasuredMemory {
  /**
   * The memory that was measured, in bytes. It is only a part of the sum if that is enough to
   * decide.
   */
  readonly bytes: number;
  /** The part of it that counts twice, because children seem to share it with their parents. */
  readonly twiceBytes: number;
  /** Whether the measurement was enough to decide if the processes use more than `roomBytes`. */
  readonly isDecided: boolean;
}

/**
 * Measures the memory of processes, the largest first, until it is known whether they use more than
 * `roomBytes`. The kernel walks all pages of a process to measure it, and a program can make that
 * slow for processes that use little.
 * @param timeoutMs - After this time, the result is not decided.
 */
export async function measureMemory(
  held: readonly HeldProcess[],
  roomBytes: number,
  timeoutMs: number,
): Promise<MeasuredMemory> {
  // Everything in one process is in use, whatever it shares. This needs no measurement, during
  // which the process could pass memory on to a child and end.
  const largest = Math.max(0, ...held.map(({ process }) => process.privateBytes));
  const atLeast = held.reduce((sum, { kernelBytes }) => sum + kernelBytes, largest);
  if (atLeast > roomBytes) return { bytes: atLeast, twiceBytes: 0, isDecided: true };
  // Before the measurement: a process that starts a program meanwhile uses less afterwards.
  const children = findVforkChildren(held.map(({ process }) => process));
  const deadline = performance.now() + timeoutMs;
  const shares: Share[] = [];
  let notMeasured = held.reduce(
    (sum, { process, kernelBytes }) => sum + process.privateBytes + kernelBytes,
    0,
  );
  const largestFirst = held.toSorted(
    (one, other) => other.process.privateBytes - one.process.privateBytes,
  );
  for (const { process, kernelBytes } of largestFirst) {
    const bytes = sumOf(shares);
    const twiceBytes = countedTwice(shares, children);
    const isDecided = bytes - twiceBytes > roomBytes || bytes + notMeasured <= roomBytes;
    if (isDecided || performance.now() > deadline) return { bytes, twiceBytes, isDecided };
    const [share] = await memoryOf([process]);
    shares.push({ id: process.id, amount: kernelBytes + (share?.amount ?? 0) });
    notMeasured -= process.privateBytes + kernelBytes;
  }
  return {
    bytes: sumOf(shares),
    twiceBytes: countedTwice(shares, children),
    isDecided: true,
  };
}
