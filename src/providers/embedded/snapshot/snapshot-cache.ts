import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkDirectory, ForeignFileError, readOwnFile } from '../../../shared/files/own-file.ts';
import { homeDirectory } from '../../../shared/home-directory.ts';
import { openSnapshot, sealSnapshot } from './snapshot-format.ts';

const SUFFIX = '.snapshot';
const TEMPORARY_SUFFIX = '.tmp';
/** A process that still writes a temporary file has begun later. */
const LEFT_AFTER_MS = 60 * 60 * 1000;
/** The number of snapshots to keep, including those of other versions. One takes 17 MB. */
const KEPT_SNAPSHOTS = 4;

/** The directory for caches on each platform; undefined if it would be in the home of a user who has none. */
export function cacheDirectory(
  platform: NodeJS.Platform = process.platform,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  home: string | undefined = homeDirectory(),
): string | undefined {
  const { XDG_CACHE_HOME: xdgCacheHome, LOCALAPPDATA: localAppData } = environment;
  const inHome = (...parts: string[]): string | undefined => home && join(home, ...parts);
  if (platform === 'win32') {
    const parent = localAppData ?? inHome('AppData', 'Local');
    return parent && join(parent, 'sandboxed-ptc', 'Cache');
  }
  if (platform === 'darwin') return inHome('Library', 'Caches', 'sandboxed-ptc');
  const parent = xdgCacheHome || inHome('.cache');
  return parent && join(parent, 'sandboxed-ptc');
}

/** The path of the snapshot with the name `key`. */
export function snapshotPath(directory: string, key: string): string {
  return join(directory, `${key}${SUFFIX}`);
}

/**
 * Returns the stored snapshot. Undefined if there is none, or if it is damaged, cannot be read or
 * may have been written by another user: a snapshot is code that runs in each sandbox and can call
 * the tools of its user.
 * @param onRefusal - Receives why a snapshot that another user may have written is not used.
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
 * Stores a snapshot atomically: another process that stores or loads it at this moment sees all of
 * it or nothing. Removes the oldest snapshots of other versions, and what processes left that ended
 * while they stored one.
 * @throws ForeignFileError if another user can write to the directory; and errors of the file
 * system.
 */
export async function storeSnapshot(path: string, snapshot: Buffer): Promise<void> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await checkDirectory(directory);
  const temporary = `${path}.${randomUUID()}${TEMPORARY_SUFFIX}`;
  try {
    await writeFile(temporary, sealSnapshot(snapshot), { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  await removeOldest(directory);
}

async function removeOldest(directory: string): Promise<void> {
  const files = await Promise.all(
    (await readdir(directory)).map(async (name) => {
      const path = join(directory, name);
      return { path, changedMs: await changeTime(path) };
    }),
  );
  const snapshots = files.filter(({ path }) => path.endsWith(SUFFIX));
  snapshots.sort((one, other) => other.changedMs - one.changedMs);
  const limitMs = Date.now() - LEFT_AFTER_MS;
  const left = files.filter(
    ({ path, changedMs }) => path.endsWith(TEMPORARY_SUFFIX) && changedMs < limitMs,
  );
  const old = [...snapshots.slice(KEPT_SNAPSHOTS), ...left];
  await Promise.all(old.map(async ({ path }) => rm(path, { force: true })));
}

/** In milliseconds; 0 for a file that another process has just removed. */
async function changeTime(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
