import { lstat, mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join, parse, resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { messageOf } from '../../shared/errors.ts';
import { makeDirectory } from '../../shared/files/make-directory.ts';
import { UsageError } from '../failure.ts';

/** File systems of Linux have no longer names. */
const LONGEST_NAME_BYTES = 255;

/**
 * The directory of `--output`. Programs choose the names of the files in it, so nothing that exists
 * is changed, no link is followed, and no name is hidden.
 */
export class OutputDirectory {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Makes the directory, unless it is there. @throws UsageError */
  static async open(path: string): Promise<OutputDirectory> {
    try {
      await makeDirectory(resolve(path));
    } catch (cause) {
      const why = `The directory of --output cannot be made: ${messageOf(cause)}. Name another.`;
      throw new UsageError(why, { cause });
    }
    return new OutputDirectory(path);
  }

  /**
   * Saves a file. If the name is taken, it gets a number. What makes it too long is cut off.
   * @param name - As that of an `OutputFile`: it has no `..`.
   * @returns its path.
   * @throws the error of the file system.
   */
  async save(name: string, bytes: Uint8Array): Promise<string> {
    const parts = name.split('/').map((part) => part.replace(/^\./, '_.'));
    const last = parts.pop() ?? '';
    let directory = this.#path;
    for (const part of parts) {
      directory = join(directory, beginningOf(part, LONGEST_NAME_BYTES));
      await enter(directory);
    }
    const pathOf = (number: number): string => join(directory, numbered(last, number));
    for (;;) {
      const path = pathOf(await freeNumber(async (number) => exists(pathOf(number))));
      const file = await create(path);
      // Something else got this name since it was free.
      if (file === undefined) continue;
      await fill(file, path, bytes);
      return path;
    }
  }
}

/** A name with its number before its ending. The first has none. */
function numbered(name: string, number: number): string {
  const mark = number === 1 ? '' : ` (${number})`;
  const room = LONGEST_NAME_BYTES - mark.length;
  const { name: base, ext } = parse(name);
  const left = room - Buffer.byteLength(ext);
  // If the ending leaves no room for the rest, the name is cut as one that has no ending.
  return left > 0 ? `${beginningOf(base, left)}${mark}${ext}` : `${beginningOf(name, room)}${mark}`;
}

/** The characters of a text that fit into so many bytes. */
function beginningOf(text: string, bytes: number): string {
  return new StringDecoder('utf8').write(Buffer.from(text).subarray(0, bytes));
}

/** Finds a number whose predecessor is taken in few steps, however many are. */
async function freeNumber(isNumberTaken: (number: number) => Promise<boolean>): Promise<number> {
  let free = 1;
  while (await isNumberTaken(free)) free *= 2;
  let taken = Math.floor(free / 2);
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isNumberTaken(middle)) taken = middle;
    else free = middle;
  }
  return free;
}

/** Whether something has this name, even a link that leads nowhere. */
async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Makes a directory, unless it is there. @throws if something else is there, such as a link. */
async function enter(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (!isTaken(error)) throw error;
    if ((await lstat(path)).isDirectory()) return;
    throw new Error(`${path} is not a directory`, { cause: error });
  }
}

/** Creates a file. Undefined if something has this name, even a link that leads nowhere. */
async function create(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'wx');
  } catch (error) {
    if (isTaken(error)) return undefined;
    throw error;
  }
}

async function fill(file: FileHandle, path: string, bytes: Uint8Array): Promise<void> {
  try {
    await file.writeFile(bytes);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST';
}
