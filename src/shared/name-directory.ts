import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { messageOf, PtcError } from './errors.ts';

/** The bits of a mode that let the group or others in. */
const FOR_OTHERS = 0o077;
const WRITABLE_FOR_OTHERS = 0o022;

/** The longest address of a local socket, in bytes, without its end: 107 on Linux, 103 elsewhere. */
const MAXIMUM_ADDRESS_BYTES = process.platform === 'linux' ? 107 : 103;

/** The length of the names of the files in the directory, with the separator before them. */
const FILE_NAME_BYTES = 36;

/** A file in the directory whose content is unique, so that a directory made anew is known to be another one. */
const IDENTITY_FILE = 'id';

/**
 * The directory that only this user can enter, in which the sockets of its names are; made if it is not there.
 * @throws PtcError `NAMES_UNAVAILABLE` if there is none, or if the one that is there is open to others.
 */
export async function openNameDirectory(): Promise<string> {
  const problems: string[] = [];
  for (const directory of await directoriesToTry()) {
    if (directory.length + FILE_NAME_BYTES > MAXIMUM_ADDRESS_BYTES) {
      problems.push(`${directory} is too long for the address of a socket`);
      continue;
    }
    try {
      await mkdir(directory, { mode: 0o700 });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST') {
        problems.push(messageOf(error));
        continue;
      }
    }
    await checkPrivate(directory);
    return directory;
  }
  throw unavailable(`no directory for them can be made: ${problems.join('; ')}`);
}

/**
 * Tells this directory from every other that has, had or will have its path, in another container too.
 * @throws PtcError `NAMES_UNAVAILABLE`, or the file system's own error.
 */
export async function nameDirectoryIdentity(): Promise<string> {
  const directory = await openNameDirectory();
  const unique = await readIdentity(directory);
  // Copies of one directory, as in two containers of one image, have the same file.
  const { dev, ino } = await lstat(directory);
  return `${unique}-${dev}-${ino}`;
}

/**
 * The first that can be made is taken. Processes of a user must agree on it, whether or not somebody is logged in,
 * so root has a fixed one. A candidate is left out only for facts that no other user can bring about: another user
 * who takes the last path makes the names unavailable, and can never have two processes hold the same one.
 */
async function directoriesToTry(): Promise<string[]> {
  const userId = process.getuid?.() ?? 0;
  const isLinux = process.platform === 'linux';
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  const parents = [
    isLinux && userId === 0 ? '/run' : undefined,
    runtime !== undefined && isAbsolute(runtime) ? runtime : undefined,
    isLinux ? `/run/user/${userId}` : undefined,
  ];
  const found: string[] = [];
  for (const parent of parents) {
    if (parent !== undefined && (await isOwn(parent, userId))) {
      found.push(join(parent, 'sandboxed-ptc'));
    }
  }
  // Not `TMPDIR`, which differs between processes of one user; but on macOS that is a directory of the user's own.
  const temporary = process.platform === 'darwin' ? tmpdir() : '/tmp';
  return [...found, join(temporary, `sandboxed-ptc-${userId}`)];
}

/** Whether nobody but this user, or root, can put a directory there. */
async function isOwn(parent: string, userId: number): Promise<boolean> {
  try {
    const { uid, mode } = await stat(parent);
    return uid === userId && (mode & WRITABLE_FOR_OTHERS) === 0;
  } catch {
    return false;
  }
}

/** In a directory where others may write, nobody else can remove or rename what passes this. */
async function checkPrivate(directory: string): Promise<void> {
  const stats = await lstat(directory);
  if (!stats.isDirectory()) throw unsafe(directory, 'it is not a directory');
  if (process.getuid !== undefined && stats.uid !== process.getuid()) {
    throw unsafe(directory, `it belongs to the user with the id ${stats.uid}`);
  }
  if ((stats.mode & FOR_OTHERS) !== 0) {
    throw unsafe(directory, `its mode is ${(stats.mode & 0o777).toString(8)}, not 700`);
  }
}

async function readIdentity(directory: string): Promise<string> {
  const path = join(directory, IDENTITY_FILE);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  // A link is made with its content, and of several at once only one is.
  const draft = `${path}.${process.pid}.${randomUUID()}`;
  await writeFile(draft, randomUUID(), { flag: 'wx', mode: 0o600 });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  return readFile(path, 'utf8');
}

function unsafe(directory: string, reason: string): PtcError {
  return unavailable(`${directory} cannot be trusted: ${reason}`, { directory });
}

function unavailable(reason: string, details: Readonly<Record<string, unknown>> = {}): PtcError {
  return new PtcError(
    'NAMES_UNAVAILABLE',
    `Names that one process holds cannot be had: ${reason}. Set XDG_RUNTIME_DIR to a directory that belongs to this user and that nobody else can write, or remove what is in the way.`,
    { details },
  );
}
