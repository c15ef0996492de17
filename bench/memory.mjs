// The memory that processes take from the machine.

import { setTimeout as delay } from 'node:timers/promises';
import { readdir, readFile } from 'node:fs/promises';

/**
 * The memory of all processes except this one, whose garbage varies: proportional set sizes, in
 * which shared pages count once. 0 if this is not Linux.
 */
export async function memoryOfOthersBytes() {
  const names = await readdir('/proc').catch(() => []);
  const processes = names.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const sizes = await Promise.all(processes.map(proportionalSetKilobytes));
  return sizes.reduce((sum, size) => sum + size, 0) * 1024;
}

/**
 * The memory that the kernel could still provide. It includes the kernel's own part of a sandbox. 0
 * if this is not Linux.
 */
export async function availableBytes() {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  return Number(/^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
}

/** Collects this process's garbage. Needs `--expose-gc`, which the npm scripts set. */
export async function collectGarbage() {
  // Finalizers and freed buffers follow a turn later, and may free more.
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc();
    await delay(50);
  }
}

async function proportionalSetKilobytes(processId) {
  // The process may have ended meanwhile.
  const text = await readFile(`/proc/${processId}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
}
