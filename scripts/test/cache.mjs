// What tests keep for the next run.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Base images, releases of Node, and what the embedded sandbox starts from. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sandboxed-ptc');

/** Packages that only some tests need, and what is made of TypeScript files for child processes. */
export const PACKAGE_CACHE = resolve(
  import.meta.dirname,
  '../../node_modules/.cache/sandboxed-ptc',
);

export const CACHES = [CACHE, PACKAGE_CACHE];

/** @returns a sentence for the end of a run. */
export async function describeCaches() {
  const sizes = await Promise.all(CACHES.map(bytesBelow));
  const kept = CACHES.map((cache, index) => `${cache}, ${Math.round(sizes[index] / 1e6)} MB`);
  return `Kept for the next run: ${kept.join(', and ')}. Remove it with: npm run clean:cache`;
}

/** `du` takes a tenth of the time that it takes here to look at each of the many files. */
async function bytesBelow(directory) {
  if (!existsSync(directory)) return 0;
  const { stdout } = await promisify(execFile)('du', ['-sk', directory]);
  return parseInt(stdout, 10) * 1024;
}
