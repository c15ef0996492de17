import { countedTwice, sumOf } from './memory-use.ts';
import { memoryOf, type SandboxProcess, type Share } from './processes.ts';
import { findVforkChildren } from './vfork-children.ts';

/** A process, and what the kernel holds for it alone beside pages. */
export interface HeldProcess {
  readonly process: SandboxProcess;
  readonly kernelBytes: number;
}

/** What processes were found to use. */
export interface MeasuredMemory {
  /** The sum, or as much of it as decided. */
  readonly bytes: number;
  /** What of it counts twice, since children seem to share it with their parents. */
  readonly twiceBytes: number;
  /** Whether it is known if it is more than there is room for. */
  readonly isDecided: boolean;
}

/**
 * Measures what processes use, the largest first, until it is known whether that is more than there is room for: the kernel
 * walks all pages of a process, and a program can make that take long for processes that use little.
 * @param patienceMs - After this, it is not known.
 */
export async function measureMemory(
  held: readonly HeldProcess[],
  roomBytes: number,
  patienceMs: number,
): Promise<MeasuredMemory> {
  // All that one process has is used, whatever it shares: no measuring, during which it could pass that on and end.
  const largest = Math.max(0, ...held.map(({ process }) => process.privateBytes));
  const atLeast = held.reduce((sum, { kernelBytes }) => sum + kernelBytes, largest);
  if (atLeast > roomBytes) return { bytes: atLeast, twiceBytes: 0, isDecided: true };
  // Before it is measured: whoever starts a program meanwhile uses less by then.
  const children = findVforkChildren(held.map(({ process }) => process));
  const deadline = performance.now() + patienceMs;
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
