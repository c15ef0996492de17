import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
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

/** The stored snapshot; undefined where there is none, or none that is whole and can be read. */
export async function loadSnapshot(path: string): Promise<Buffer | undefined> {
  try {
    return openSnapshot(await readFile(path));
  } catch {
    return undefined;
  }
}

/**
 * Stores a snapshot in one step: whoever else stores or loads it at this moment sees all of it or
 * nothing. Those of other versions that were used least recently are removed.
 * @throws Whatever the file system does where it cannot be written.
 */
export async function storeSnapshot(path: string, snapshot: Buffer): Promise<void> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
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
