import { readFileSync } from 'node:fs';
import { ARM_64_NUMBERS, X86_64_NUMBERS } from '../../../sandbox/seccomp/system-call-numbers.ts';
import { childrenOf, type SandboxProcess, threadsOf } from '../processes.ts';

const CLONE_VM = 0x100;
const CLONE_VFORK = 0x4000;
const CLONE_PARENT = 0x8000;

/**
 * Finds children that use the memory of their parent, by parent. `vfork` suspends a thread until
 * its child starts a program or ends; until then, the kernel reports the memory of both for each of
 * them.
 *
 * Each process is in at most one pair, so that at most half of what the processes use can count as
 * shared.
 */
export function findVforkChildren(
  processes: readonly SandboxProcess[],
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const children = new Set<number>();
  for (const { id } of processes) {
    if (children.has(id)) continue;
    for (const thread of threadsOf(id)) {
      // The kernel lists children in the order in which they were created.
      const newest = childrenOf(id, [thread]).at(-1);
      if (newest === undefined || found.has(newest) || !waitsInVfork(thread)) continue;
      found.set(id, newest);
      children.add(newest);
      break;
    }
  }
  return found;
}

/** False if the kernel does not report in which system call the thread is. */
function waitsInVfork(threadId: number): boolean {
  const numbers = process.arch === 'arm64' ? ARM_64_NUMBERS : X86_64_NUMBERS;
  // The file contains `running`, or the number of the system call and its arguments.
  const [number, flags] = readCall(threadId).split(' ').map(Number);
  if (number === numbers.get('vfork')) return true;
  const kind = Number(flags) & (CLONE_VM | CLONE_VFORK | CLONE_PARENT);
  return number === numbers.get('clone') && kind === (CLONE_VM | CLONE_VFORK);
}

function readCall(threadId: number): string {
  try {
    return readFileSync(`/proc/${threadId}/syscall`, 'latin1');
  } catch {
    // The thread has ended, or the machine does not allow reading this file.
    return '';
  }
}
