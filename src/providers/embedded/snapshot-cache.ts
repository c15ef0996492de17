import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkDirectory, ForeignFileError, readOwnFile } from './own-file.ts';
import { openSnapshot, sealSnapshot } from './snapshot-format.ts';

const SUFFIX = '.snapshot';
/** Of other versions; one takes 17 MB. */
const KEPT_SNAPSHOTS = 4;

/** The directory for what can be made again, by each system's custom. */
export function cacheDirectory(
  platform: NodeJS.Platform = process.platform,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  home: string = homedir(),
): string {
  const { XDG_CACHE_HOME: xdgCacheHome, LOCALAPPDATA: localAppData } = environment;
  if (platform === 'win32') {
    return join(localAppData ?? join(home, 'AppData', 'Local'), 'sandboxed-ptc', 'Cache');
  }
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'sandboxed-ptc');
  return join(xdgCacheHome || join(home, '.cache'), 'sandboxed-ptc');
}

/** Where the snapshot is kept that `key` names. */
export function snapshotPath(directory: string, key: string): string {
  return join(directory, `${key}${SUFFIX}`);
}

/**
 * The stored snapshot; undefined if there is none, or none that is whole, can be read and is this user's own:
 * a snapshot is code that runs in each sandbox, with each user's tools.
 * @param onRefusal - Is told why one was not taken that another user may have written.
 */
export async function loadSnapshot(
  path: string,
  onRefusal: (why: string) => void,
): Promise<Buffer | undefined> {
  try {
    return openSnapshot(await readOwnFile(path));
  } catch (error) {
    if (error instanceof ForeignFileError) onRefusal(error.message);
    return undefined;
  }
}

/**
 * Stores a snapshot in one step: whoever else stores or loads it at this moment sees all of it or
 * nothing. Those of other versions that were used least recently are removed.
 * @throws ForeignFileError if another user can write to the directory; and whatever the file system does.
 */
export async function storeSnapshot(path: string, snapshot: Buffer): Promise<void> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await checkDirectory(directory);
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, sealSnapshot(snapshot), { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  await removeOldest(directory);
}

async function removeOldest(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(SUFFIX));
  const snapshots = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      return { path, changedMs: (await stat(path)).mtimeMs };
    }),
  );
  snapshots.sort((one, other) => other.changedMs - one.changedMs);
  const old = snapshots.slice(KEPT_SNAPSHOTS);
  await Promise.all(old.map(async ({ path }) => rm(path, { force: true })));
}
