import { readFile } from 'node:fs/promises';

/**
 * Returns the bytes of memory that a process uses, with its part of memory that it shares with
 * other processes. Undefined if the system does not tell; only Linux does.
 */
export async function processMemory(processId: number): Promise<number | undefined> {
  try {
    const rollup = await readFile(`/proc/${processId}/smaps_rollup`, 'utf8');
    const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
