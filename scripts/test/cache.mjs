// What tests keep for the next run.
import { lstat, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

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

async function bytesBelow(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (entry) => (await lstat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
