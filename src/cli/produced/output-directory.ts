import { lstat, mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join, parse, resolve } from 'node:path';
import { messageOf } from '../../shared/errors.ts';
import { makeDirectory } from '../../shared/files/make-directory.ts';
import { UsageError } from '../failure.ts';

/** So many names are tried for a file whose name is taken. */
const MOST_ATTEMPTS = 100;

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
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      const number = attempt === 1 ? '' : ` (${attempt})`;
      const path = join(directory, `${last.name}${number}${last.ext}`);
      const file = await create(path);
      if (file === undefined) continue;
      await fill(file, path, bytes);
      return path;
    }
    throw new Error(`${MOST_ATTEMPTS} files have this name and a number`);
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
