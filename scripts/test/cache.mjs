// What tests keep for the next run: base images, releases of Node, and what the embedded sandbox starts from.
import { lstat, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sandboxed-ptc');

/** @returns a sentence for the end of a run. */
export async function describeCache() {
  const megabytes = Math.round((await bytesBelow(CACHE)) / 1e6);
  return `Kept for the next run: ${CACHE}, ${megabytes} MB. Remove it with: npm run clean:cache`;
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
