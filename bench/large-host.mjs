// Measures what a start costs a large host: a process that it starts copies the page tables of all
// its memory.

import { first } from './measures.mjs';
import { processorTime } from './statistics.mjs';

const STARTS = 20;
const HELD_MEBIBYTES = 450;
const MEBIBYTE = 1024 * 1024;

/**
 * This process's processor time for a sandbox's start while it holds much memory, and while it does
 * not.
 */
export async function largeHost({ executor }) {
  const floor = await startTime(executor);
  const held = Array.from({ length: HELD_MEBIBYTES }, () => Buffer.alloc(MEBIBYTE, 1));
  const value = await startTime(executor);
  return { value, floor, notes: [`held meanwhile: ${held.length} MiB`] };
}

async function startTime(executor) {
  await first(executor);
  const total = await processorTime(async () => {
    for (let start = 0; start < STARTS; start += 1) await first(executor);
  });
  return total / STARTS;
}
