import { lstat, mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join, parse, resolve } from 'node:path';
import { messageOf } from '../../shared/errors.ts';
import { makeDirectory } from '../../shared/files/make-directory.ts';
import { UsageError } from '../failure.ts';

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
   * Saves a file. If the name is taken, it gets a number.
   * @param name - As that of an `OutputFile`: it has no `..`.
   * @returns its path.
   * @throws the error of the file system.
   */
  async save(name: string, bytes: Uint8Array): Promise<string> {
    const parts = name.split('/').map((part) => part.replace(/^\./, '_.'));
    const last = parse(parts.pop() ?? '');
    let directory = this.#path;
    for (const part of parts) {
      directory = join(directory, part);
      await enter(directory);
    }
    const pathOf = (number: number): string =>
      join(directory, `${last.name}${number === 1 ? '' : ` (${number})`}${last.ext}`);
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
    const { code } = error as NodeJS.ErrnoException;
    // A name that is too long may fit with a smaller number.
    if (code === 'ENOENT' || code === 'ENAMETOOLONG') return false;
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
