import { constants, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Not a regular file, or a file or directory that another user of the machine may have written. */
export class ForeignFileError extends Error {}

const WRITABLE_BY_OTHERS = 0o022;
/**
 * Flags to open a file that another user may have put there: a link is refused, and the reader of a
 * FIFO does not wait for a writer.
 */
export const UNTRUSTED_PATH: number = (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Says why another user may have written a file or directory. Undefined if only this user and root
 * can have written it.
 * @param ownId - Undefined on systems without user ids; then the result is always undefined.
 */
export function foreignAccess(
  path: string,
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  ownId: number | undefined,
): string | undefined {
  if (ownId === undefined) return undefined;
  const owner = foreignOwner(path, uid, ownId);
  if (owner !== undefined) return owner;
  if ((mode & WRITABLE_BY_OTHERS) === 0) return undefined;
  return `${path} is writable for other users (its mode is ${(mode & 0o777).toString(8)})`;
}

/**
 * Reads a file that no other user can have written or replaced.
 * @throws ForeignFileError if another user can have done that; and errors of the file system.
 */
export async function readOwnFile(path: string): Promise<Buffer> {
  await checkDirectory(dirname(path));
  const file = await open(path, constants.O_RDONLY | UNTRUSTED_PATH);
  try {
    // Checks the opened file, because the path may lead to another file a moment later.
    const facts = await file.stat();
    checkKindAndOwner(path, facts);
    throwIfForeign(path, facts);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** @throws ForeignFileError if an opened file is not a regular file of this user or of root. */
export function checkKindAndOwner(path: string, facts: Stats): void {
  if (!facts.isFile()) throw new ForeignFileError(`${path} is not a regular file`);
  const owner = foreignOwner(path, facts.uid, process.geteuid?.());
  if (owner !== undefined) throw new ForeignFileError(owner);
}

function foreignOwner(path: string, uid: number, ownId: number | undefined): string | undefined {
  if (ownId === undefined || uid === ownId || uid === 0) return undefined;
  return `${path} belongs to user ${uid} instead of user ${ownId}`;
}

/** @throws ForeignFileError if another user can create files in the directory. */
export async function checkDirectory(path: string): Promise<void> {
  throwIfForeign(path, await stat(path));
}

function throwIfForeign(path: string, facts: Stats): void {
  const why = foreignAccess(path, facts, process.geteuid?.());
  if (why !== undefined) throw new ForeignFileError(why);
}
