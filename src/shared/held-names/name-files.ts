import { createHash } from 'node:crypto';
import { readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { openNameDirectory } from './name-directory.ts';
import { listen, stateOf, type NameSocket, type OnAsked } from './name-socket.ts';

/** The socket of one process that wants or holds a name. */
export interface Claim {
  /** The part of its file names that no other claim ever has. */
  readonly unique: string;
  /** Whether the process holds the name. Otherwise it only wants it. */
  readonly holds: boolean;
}

/** `draft`: not listened on yet. `claim`: wants the name, or holds it. `held`: holds the name. */
const SUFFIX = { draft: 't', claim: 'c', held: 'h' } as const;
const FILE_NAME = /^([\da-f]{6})([\da-f]{16})\.([\da-f]{10})\.([tch])$/;

/**
 * Holders touch their files every hour. A file that was not touched for this long belongs to no
 * process, on any kernel.
 */
const ABANDONED_MS = 24 * 3_600_000;

/** The files of one name. */
export class NameFiles {
  readonly #directory: string;
  readonly #prefix: string;

  private constructor(directory: string, prefix: string) {
    this.#directory = directory;
    this.#prefix = prefix;
  }

  static async of(name: string): Promise<NameFiles> {
    const [directory, kernel] = await Promise.all([openNameDirectory(), kernelDigest()]);
    return new NameFiles(directory, `${kernel}${digestOf(name, 16)}.`);
  }

  path(unique: string, kind: keyof typeof SUFFIX): string {
    return join(this.#directory, `${this.#prefix}${unique}.${SUFFIX[kind]}`);
  }

  /** Creates a socket that other processes see as soon as this returns. */
  async announce(unique: string, onAsked?: OnAsked): Promise<NameSocket> {
    const draft = this.path(unique, 'draft');
    const socket = await listen(draft, onAsked);
    if (socket === undefined) throw new Error(`The name of the file ${draft} was used twice.`);
    try {
      await rename(draft, this.path(unique, 'claim'));
      return socket;
    } catch (error) {
      await socket.close();
      throw error;
    }
  }

  /** The claims of live processes. Removes the files of dead ones. */
  async liveClaims(): Promise<Claim[]> {
    const found = new Map<string, Claim>();
    for (const fileName of await readdir(this.#directory)) {
      const [, , , unique, suffix] = FILE_NAME.exec(fileName) ?? [];
      if (unique === undefined || suffix === SUFFIX.draft) continue;
      if (!fileName.startsWith(this.#prefix)) continue;
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

  async remove(unique: string): Promise<void> {
    await remove(this.path(unique, 'held'));
    await remove(this.path(unique, 'claim'));
  }
}

/**
 * Removes the files of dead processes of this user, for all names.
 * @returns the number of removed files.
 * @throws PtcError `NAMES_UNAVAILABLE`, or the system's own error.
 */
export async function removeDeadNames(): Promise<number> {
  // Named pipes leave no files.
  if (process.platform === 'win32') return 0;
  const directory = await openNameDirectory();
  const kernel = await kernelDigest();
  let removed = 0;
  for (const fileName of await readdir(directory)) {
    const [, itsKernel, , , suffix] = FILE_NAME.exec(fileName) ?? [];
    const path = join(directory, fileName);
    const isJudged = itsKernel === kernel && suffix !== SUFFIX.draft;
    if (fileName !== 'id' && (isJudged || (await isAbandoned(path)))) {
      if ((await stateOf(path)) === 'dead' && (await remove(path))) removed += 1;
    }
  }
  return removed;
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

/**
 * Identifies the kernel whose processes can connect to a socket. Several kernels may share a
 * directory, and it may outlive a boot.
 */
async function kernelDigest(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => hostname());
  return digestOf(boot, 6);
}

/** Names are hashed because the length of a socket's address is limited. */
export function digestOf(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
