import { constants, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A file whose content another user of the machine may have written. */
export class ForeignFileError extends Error {}

const WRITABLE_BY_OTHERS = 0o022;
const NO_WAITING = constants.O_NONBLOCK ?? 0;
const NO_LINKS = constants.O_NOFOLLOW ?? 0;

/**
 * Why another user may have written a file or directory; undefined if none but this one and root can have.
 * @param ownId - Undefined on systems without user ids, where nothing is found.
 */
export function foreignness(
  path: string,
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  ownId: number | undefined,
): string | undefined {
  if (ownId === undefined) return undefined;
  if (uid !== ownId && uid !== 0) return `${path} belongs to user ${uid}, and not to ${ownId}`;
  if ((mode & WRITABLE_BY_OTHERS) === 0) return undefined;
  return `${path} can be written by other users (its mode is ${(mode & 0o777).toString(8)})`;
}

/**
 * Reads a file that nobody else can have written, nor put in its place.
 * @throws ForeignFileError if somebody else can have; and whatever the file system does.
 */
export async function readOwnFile(path: string): Promise<Buffer> {
  await checkDirectory(dirname(path));
  const file = await open(path, constants.O_RDONLY | NO_LINKS | NO_WAITING);
  try {
    // Of what was opened: the path may lead elsewhere a moment later.
    const facts = await file.stat();
    if (!facts.isFile()) throw new ForeignFileError(`${path} is not a file`);
    throwIfForeign(path, facts);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** @throws ForeignFileError if another user can put files there. */
export async function checkDirectory(path: string): Promise<void> {
  throwIfForeign(path, await stat(path));
}

function throwIfForeign(path: string, facts: Stats): void {
  const why = foreignness(path, facts, process.geteuid?.());
  if (why !== undefined) throw new ForeignFileError(why);
}
