import { readFileSync } from 'node:fs';
import { ARM_64_NUMBERS, X86_64_NUMBERS } from '../../sandbox/system-call-numbers.ts';
import { childrenOf, type SandboxProcess, threadsOf } from './processes.ts';

const CLONE_VM = 0x100;
const CLONE_VFORK = 0x4000;
const CLONE_PARENT = 0x8000;

/**
 * Finds the children that use the memory of their parent, by their parent: `vfork` suspends a thread until the child that
 * it made starts a program or ends, and until then the kernel reports the memory of both as the memory of each.
 *
 * Each process is in one pair at most, so that no more than half of what processes use can seem to be shared.
 */
export function findVforkChildren(
  processes: readonly SandboxProcess[],
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const children = new Set<number>();
  for (const { id } of processes) {
    if (children.has(id)) continue;
    for (const thread of threadsOf(id)) {
      // The kernel lists children in the order in which they were made.
      const newest = childrenOf(id, [thread]).at(-1);
      if (newest === undefined || found.has(newest) || !waitsInVfork(thread)) continue;
      found.set(id, newest);
      children.add(newest);
      break;
    }
  }
  return found;
}

/** False if the kernel does not say in which call the thread is. */
function waitsInVfork(threadId: number): boolean {
  const numbers = process.arch === 'arm64' ? ARM_64_NUMBERS : X86_64_NUMBERS;
  // `running`, or the number of the call and its arguments.
  const [number, flags] = readCall(threadId).split(' ').map(Number);
  if (number === numbers.get('vfork')) return true;
  const kind = Number(flags) & (CLONE_VM | CLONE_VFORK | CLONE_PARENT);
  return number === numbers.get('clone') && kind === (CLONE_VM | CLONE_VFORK);
}

function readCall(threadId: number): string {
  try {
    return readFileSync(`/proc/${threadId}/syscall`, 'latin1');
  } catch {
    // It has ended, or the machine lets nobody ask.
    return '';
  }
}
