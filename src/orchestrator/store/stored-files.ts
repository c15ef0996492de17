import { constants } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from '../../shared/files/make-directory.ts';
import { checkKindAndOwner, UNTRUSTED_PATH } from '../../shared/files/own-file.ts';
import { invalidOption } from '../../shared/options/option-values.ts';
import { syncDirectory } from './file/file-compaction.ts';

/** The directory of the files of a conversation whose entries are in a file. */
export function filesPath(filePath: string): string {
  return `${filePath}.files`;
}

/** The files of one conversation in a directory of their own. Each is named by its digest. */
export class StoredFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes a file unless it is there. A process that is killed leaves the whole file or none. */
  async save(sha256: string, data: Uint8Array): Promise<void> {
    const whole = this.#path(sha256);
    const unfinished = `${whole}.unfinished`;
    await makeDirectory(this.#directory, 0o700);
    await rm(unfinished, { force: true });
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | UNTRUSTED_PATH;
    try {
      const file = await open(unfinished, flags, 0o600);
      try {
        await file.writeFile(data);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, whole);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    await syncDirectory(this.#directory);
  }

  /** @returns undefined if there is no such file. */
  async load(sha256: string): Promise<Uint8Array | undefined> {
    const where = this.#path(sha256);
    try {
      const file = await open(where, constants.O_RDONLY | UNTRUSTED_PATH);
      try {
        // Another user may have put something there before.
        checkKindAndOwner(where, await file.stat());
        return await file.readFile();
      } finally {
        await file.close();
      }
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Deletes all files except those with these digests. */
  async keep(kept: readonly string[]): Promise<void> {
    if (kept.length === 0) return this.remove();
    const names = await readdir(this.#directory).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for (const name of names) {
      if (!kept.includes(name)) await rm(path.join(this.#directory, name), { force: true });
    }
  }

  async remove(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }

  #path(sha256: string): string {
    return path.join(this.#directory, checkDigest(sha256));
  }
}

/** @throws PtcError `OPTION_INVALID` for what could be the path of another file. */
function checkDigest(sha256: string): string {
  if (/^[0-9a-f]{64}$/.test(sha256)) return sha256;
  throw invalidOption('sha256', sha256, 'a digest of 64 hexadecimal digits');
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
