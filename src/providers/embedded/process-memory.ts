import { readFile } from 'node:fs/promises';

/**
 * The bytes of memory that a process uses, its part of what it shares with others included; undefined
 * where the system does not say: it is told by Linux alone.
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
