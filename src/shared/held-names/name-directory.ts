import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { messageOf, PtcError } from '../errors.ts';

/** The bits of a mode that give the group or others access. */
const FOR_OTHERS = 0o077;
const WRITABLE_FOR_OTHERS = 0o022;

/**
 * The longest address of a local socket, in bytes, without the final zero: 107 on Linux, 103
 * elsewhere.
 */
const MAXIMUM_ADDRESS_BYTES = process.platform === 'linux' ? 107 : 103;

/** The length of the paths of sockets in the directory, with the separator before them. */
const FILE_NAME_BYTES = 36;

/**
 * A file with unique content, so that a directory that was removed and created again can be
 * recognized as a different one.
 */
const IDENTITY_FILE = 'id';

/**
 * Opens the directory that only this user can enter and that contains the sockets of held names.
 * Creates it if it does not exist.
 * @throws PtcError `NAMES_UNAVAILABLE` if it cannot be created, if others can enter it, or on
 *   Windows.
 */
export async function openNameDirectory(): Promise<string> {
  const userId = ownUserId();
  const problems: string[] = [];
  for (const directory of await directoriesToTry(userId)) {
    if (Buffer.byteLength(directory) + FILE_NAME_BYTES > MAXIMUM_ADDRESS_BYTES) {
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
    await checkPrivate(directory, userId);
    return directory;
  }
  throw unavailable(`no directory for them can be created: ${problems.join('; ')}`);
}

/**
 * Identifies this directory among all directories that ever have its path, even in another
 * container.
 * @throws PtcError `NAMES_UNAVAILABLE`, or the file system's own error.
 */
export async function nameDirectoryIdentity(): Promise<string> {
  const directory = await openNameDirectory();
  const unique = await readIdentity(directory);
  // Copies of one directory, such as in two containers of one image, have the same file.
  const { dev, ino } = await lstat(directory);
  return `${unique}-${dev}-${ino}`;
}

/** @throws PtcError `NAMES_UNAVAILABLE` on Windows, whose users have no such ids. */
function ownUserId(): number {
  const userId = process.getuid?.();
  if (userId !== undefined) return userId;
  throw new PtcError(
    'NAMES_UNAVAILABLE',
    'Keys of sessions, audit logs and stores of conversations need the sockets and users of Linux, which Windows does not have. Run this process in the Windows Subsystem for Linux (WSL) or in a Linux container.',
  );
}

/**
 * The candidates: the first that can be created is used. All processes of a user must agree on it,
 * whether or not the user is logged in, so root has a fixed one. A candidate is left out only for
 * facts that no other user can bring about. Another user who creates the last path makes names
 * unavailable, but can never cause two processes to hold the same name.
 */
async function directoriesToTry(userId: number): Promise<string[]> {
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
  // Not `TMPDIR`, which can differ between processes of one user. On macOS, it is a directory of
  // the user's own.
  const temporary = process.platform === 'darwin' ? tmpdir() : '/tmp';
  return [...found, join(temporary, `sandboxed-ptc-${userId}`)];
}

/** Whether only this user or root can create a directory there. */
async function isOwn(parent: string, userId: number): Promise<boolean> {
  try {
    const { uid, mode } = await stat(parent);
    return uid === userId && (mode & WRITABLE_FOR_OTHERS) === 0;
  } catch {
    return false;
  }
}

/**
 * Others cannot remove or rename a directory that passes this, even if they can write to its
 * parent.
 */
async function checkPrivate(directory: string, userId: number): Promise<void> {
  const stats = await lstat(directory);
  if (!stats.isDirectory()) throw unsafe(directory, 'it is not a directory');
  if (stats.uid !== userId) {
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
  // A link appears together with its content, and only one of several links at once succeeds.
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
    `Processes of this user cannot tell each other which names they hold: ${reason}. Set XDG_RUNTIME_DIR to a directory that belongs to this user and that only this user can write to, or remove what is in the way.`,
    { details },
  );
}
