// What processes take from the machine.

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

async function proportionalSetKilobytes(processId) {
  // It may have ended since it was listed.
  const text = await readFile(`/proc/${processId}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
}
