// What processes take from the machine.

import { setTimeout as delay } from 'node:timers/promises';
import { readdir, readFile } from 'node:fs/promises';

/**
 * The memory of all processes but this one, whose garbage comes and goes: proportional set sizes, in
 * which pages that several share are counted once. 0 where it is not Linux.
 */
export async function memoryOfOthersBytes() {
  const names = await readdir('/proc').catch(() => []);
  const processes = names.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const sizes = await Promise.all(processes.map(proportionalSetKilobytes));
  return sizes.reduce((sum, size) => sum + size, 0) * 1024;
}

/** What the kernel could still give: it counts its own part of a sandbox too. 0 where it is not Linux. */
export async function availableBytes() {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  return Number(/^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
}

/** Collects this process's garbage. Needs `--expose-gc`, which the npm scripts give. */
export async function collectGarbage() {
  // Finalizers and freed buffers come a turn later, and may free more.
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc();
    await delay(50);
  }
}

async function proportionalSetKilobytes(processId) {
  // It may have ended since it was listed.
  const text = await readFile(`/proc/${processId}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
}
