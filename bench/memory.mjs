// The machine's free memory, read where nothing is hidden by shared pages.

import { readFile } from 'node:fs/promises';

/** The kernel's estimate of what new programs could have (`MemAvailable`); 0 where it is not Linux. */
export async function availableMemoryBytes() {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  return Number(/^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
}
