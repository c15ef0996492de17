import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { bootId } from './boot-id.ts';
import { openNameDirectory } from './name-directory.ts';
import { listen, stateOf, type HolderOptions, type NameSocket } from './name-socket.ts';

/** The socket of one process that wants or holds a name. */
export interface Claim {
  /** The part of its file names that no other claim ever has. */
  readonly unique: string;
  /** Whether the process holds the name. Otherwise it only wants it. */
  readonly holds: boolean;
}

/** `draft`: not listened on yet. `claim`: wants the name, or holds it. `held`: holds the name. */
const SUFFIX = { draft: 't', claim: 'c', held: 'h' } as const;
const DIRECTORY_NAME = /^([\da-f]{6})[\da-f]{16}$/;
const FILE_NAME = /^([\da-f]{10})\.([tch])$/;

/** How often a process tries to create its socket while others remove the empty directory. */
const ANNOUNCEMENTS = 100;

/**
 * Holders touch their files every hour. A file that was not touched for this long belongs to no
 * process, on any kernel.
 */
const ABANDONED_MS = 24 * 3_600_000;

/**
 * The files of one name, in a directory of their own, so that nobody reads those of other names.
 * The directory exists only as long as it contains files: no process can remove it while another
 * one has a file there.
 */
export class NameFiles {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async of(name: string): Promise<NameFiles> {
    const [directory, kernel] = await Promise.all([openNameDirectory(), kernelDigest()]);
    return new NameFiles(join(directory, `${kernel}${digestOf(name, 16)}`));
  }

  path(unique: string, kind: keyof typeof SUFFIX): string {
    return join(this.#directory, `${unique}.${SUFFIX[kind]}`);
  }

  /** Creates a socket that other processes see as soon as this returns. */
  async announce(unique: string, options?: HolderOptions): Promise<NameSocket> {
    const draft = this.path(unique, 'draft');
    const socket = await this.#listen(draft, options);
    try {
      await rename(draft, this.path(unique, 'claim'));
      return socket;
    } catch (error) {
      await socket.close();
      throw error;
    }
  }

  /** Listens in the directory, which another process may remove before the socket is in it. */
  async #listen(draft: string, options?: HolderOptions): Promise<NameSocket> {
    for (let tries = 1; ; tries += 1) {
      await makeDirectory(this.#directory);
      try {
        return await listen(draft, options);
      } catch (error) {
        // Node reports EACCES if the directory does not exist.
        const { code } = error as NodeJS.ErrnoException;
        if (tries === ANNOUNCEMENTS || (code !== 'EACCES' && code !== 'ENOENT')) throw error;
      }
    }
  }

  /** The claims of live processes. Removes the files of dead ones. */
  async liveClaims(): Promise<Claim[]> {
    const found = new Map<string, Claim>();
    for (const fileName of await filesIn(this.#directory)) {
      const [, unique, suffix] = FILE_NAME.exec(fileName) ?? [];
      if (unique === undefined || suffix === SUFFIX.draft) continue;
      const holds = suffix === SUFFIX.held || found.get(unique)?.holds === true;
      found.set(unique, { unique, holds });
    }
    const states = await Promise.all(
      [...found.values()].map(async (claim) => ({
        claim,
        state: await stateOf(this.path(claim.unique, claim.holds ? 'held' : 'claim')),
      })),
    );
    await Promise.all(
      states.map(async ({ claim, state }) => state !== 'live' && this.remove(claim.unique)),
    );
    return states.flatMap(({ claim, state }) => (state === 'live' ? [claim] : []));
  }

  /** Removes the files of a claim, and the directory if no others are in it. */
  async remove(unique: string): Promise<void> {
    await remove(this.path(unique, 'held'));
    await remove(this.path(unique, 'claim'));
    await removeIfEmpty(this.#directory);
  }
}

/**
 * Removes the files of dead processes of this user, for all names.
 * @returns the number of removed files.
 * @throws PtcError `NAMES_UNAVAILABLE`, or the system's own error.
 */
export async function removeDeadNames(): Promise<number> {
  const directory = await openNameDirectory();
  const kernel = await kernelDigest();
  let removed = 0;
  for (const entry of await readdir(directory)) {
    if (entry === 'id') continue;
    const path = join(directory, entry);
    const [, itsKernel] = DIRECTORY_NAME.exec(entry) ?? [];
    if (itsKernel !== undefined) removed += await removeDeadFiles(path, itsKernel === kernel);
    else if (await removeDead(path, false)) removed += 1;
  }
  return removed;
}

/**
 * Removes the files of dead processes of one name.
 * @param isOwnKernel - Whether they are of processes that this one can judge.
 */
async function removeDeadFiles(directory: string, isOwnKernel: boolean): Promise<number> {
  let removed = 0;
  for (const fileName of await filesIn(directory)) {
    const isJudged = isOwnKernel && FILE_NAME.exec(fileName)?.[2] !== SUFFIX.draft;
    if (await removeDead(join(directory, fileName), isJudged)) removed += 1;
  }
  await removeIfEmpty(directory);
  return removed;
}

/** @param isJudged - Otherwise, only a file that was not touched for long is removed. */
async function removeDead(path: string, isJudged: boolean): Promise<boolean> {
  if (!isJudged && !(await isAbandoned(path))) return false;
  return (await stateOf(path)) === 'dead' && remove(path);
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > ABANDONED_MS;
  } catch {
    return false;
  }
}

/** Returns false if another process removed it. */
async function remove(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The names of the files in a directory; none if it does not exist. */
async function filesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function removeIfEmpty(directory: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(code)) throw error;
  }
}

/**
 * Identifies the kernel whose processes can connect to a socket. Several kernels may share a
 * directory, and it may outlive a boot.
 * @throws PtcError `NAMES_UNAVAILABLE` if that cannot be told.
 */
async function kernelDigest(): Promise<string> {
  return digestOf((await bootId()) ?? hostname(), 6);
}

/** Names are hashed because the length of a socket's address is limited. */
function digestOf(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
