import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory and the missing ones above it, unless it exists. The recursive `mkdir` of Node
 * reports a read-only file system as a missing directory, and never ends in `/proc`.
 * @throws the error of the file system for the first directory that cannot be created.
 */
export async function makeDirectory(path: string, mode?: number): Promise<void> {
  const refusal = await tryToMake(path, mode);
  if (refusal === undefined) return;
  const parent = dirname(path);
  if (refusal.code !== 'ENOENT' || parent === path) throw refusal;
  await makeDirectory(parent, mode);
  const lasting = await tryToMake(path, mode);
  if (lasting !== undefined) throw lasting;
}

async function tryToMake(
  path: string,
  mode: number | undefined,
): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, { mode });
    return undefined;
  } catch (error) {
    return (await isDirectory(path)) ? undefined : (error as NodeJS.ErrnoException);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
