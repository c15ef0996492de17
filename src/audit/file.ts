import { constants } from 'node:fs';
import { open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PtcError } from '../shared/errors.ts';
import type { ChainKey } from './chain.ts';
import { readHead, readTail, type AuditTail } from './tail.ts';

const OWNER_ONLY = 0o600;
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR;

/** An audit file as it was when it was opened. */
export interface FoundAuditFile {
  readonly file: AuditFile;
  readonly tail: AuditTail;
  /** Whether `tail.last` is the end of the previous file, because this one has no line yet. */
  readonly follows: boolean;
}

/**
 * The file that is being written, and the files before it: `audit.jsonl`, and `audit.jsonl.1` and
 * so on, of which the newest has the highest number. After an error, the same call continues where
 * the previous one stopped.
 */
export class AuditFile {
  readonly path: string;
  /** Its number in the series, from 1. */
  number: number;
  #handle: FileHandle;
  /** Undefined for a device, which has no size and is never followed by another file. */
  #bytes: number | undefined;
  #unwritten: Buffer = Buffer.alloc(0);
  #movedAway = false;
  /** Whether somebody else has removed or renamed the file. */
  #isGone = false;

  private constructor(path: string, number: number, handle: FileHandle, bytes: number | undefined) {
    this.path = path;
    this.number = number;
    this.#handle = handle;
    this.#bytes = bytes;
  }

  /**
   * Opens a file, or creates it.
   * @throws PtcError `AUDIT_LOG_INVALID`, or the file system's own error.
   */
  static async open(path: string, key: ChainKey): Promise<FoundAuditFile> {
    const handle = await open(path, APPEND, OWNER_ONLY);
    try {
      const tail = await readTail(handle, path, key);
      const before = (await numbersBefore(path)).at(-1) ?? 0;
      const stats = await handle.stat();
      const head = stats.isFile() ? await readHead(handle, key) : undefined;
      const number = Math.max(before + 1, fileNumberOf(head?.fields));
      const file = new AuditFile(path, number, handle, stats.isFile() ? stats.size : undefined);
      if (tail.last !== undefined || before === 0) return { file, tail, follows: false };
      const last = await lastLineOf(numbered(path, before), key);
      return { file, tail: { ...tail, last }, follows: true };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Its size, including what is not written yet; 0 for a device, which is never full. */
  get bytes(): number {
    return this.#bytes ?? 0;
  }

  /** Adds bytes that `flush` writes. */
  add(bytes: Buffer): void {
    this.#unwritten =
      this.#unwritten.length === 0 ? bytes : Buffer.concat([this.#unwritten, bytes]);
    if (this.#bytes !== undefined) this.#bytes += bytes.length;
  }

  /**
   * Writes everything that was added. If the disk is full, the rest stays to be written, so that no
   * line is cut.
   */
  async flush(): Promise<void> {
    while (this.#unwritten.length > 0) {
      const { bytesWritten } = await this.#handle.write(this.#unwritten);
      this.#unwritten = this.#unwritten.subarray(bytesWritten);
    }
  }

  /**
   * Renames the flushed file so that it joins the earlier ones, and begins a new file.
   * @returns false if somebody else has removed or renamed the file, so that it is not in the series.
   */
  async rotate(): Promise<boolean> {
    if (!this.#movedAway) {
      await this.#handle.datasync();
      this.#isGone = !(await renamed(this.path, numbered(this.path, this.number)));
      this.#movedAway = true;
    }
    const next = await open(this.path, APPEND | constants.O_EXCL, OWNER_ONLY);
    const full = this.#handle;
    this.#handle = next;
    this.#bytes = 0;
    this.#movedAway = false;
    this.number += 1;
    // All its data is on the disk already.
    await full.close().catch(() => undefined);
    return !this.#isGone;
  }

  /** Removes the oldest files if there are more than `maxFiles`, including this one. */
  async prune(maxFiles: number): Promise<void> {
    for (const number of await numbersBefore(this.path)) {
      if (number <= this.number - maxFiles) await unlink(numbered(this.path, number));
    }
  }

  async close(): Promise<void> {
    // A device cannot be synchronized.
    await this.#handle.datasync().catch(() => undefined);
    await this.#handle.close();
  }
}

/** Renames a file. Returns false if the file does not exist. */
async function renamed(path: string, next: string): Promise<boolean> {
  try {
    await rename(path, next);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  }
}

/** The numbers of the files before this one, ascending. */
async function numbersBefore(path: string): Promise<number[]> {
  const prefix = `${basename(path)}.`;
  return (await readdir(dirname(path)))
    .filter((name) => name.startsWith(prefix) && /^[1-9]\d{0,14}$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .sort((left, right) => left - right);
}

async function lastLineOf(path: string, key: ChainKey): Promise<AuditTail['last']> {
  const handle = await open(path, 'r');
  try {
    const { last } = await readTail(handle, path, key);
    if (last?.type === 'log-rotated') return last;
  } finally {
    await handle.close();
  }
  throw new PtcError(
    'AUDIT_LOG_INVALID',
    `The audit log cannot be continued: ${path} does not end with the line that a finished file has. Move it away to begin a new log.`,
    { details: { path } },
  );
}

function fileNumberOf(fields: { readonly [name: string]: unknown } | undefined): number {
  const number = fields?.['file'];
  return typeof number === 'number' ? number : 1;
}

function numbered(path: string, number: number): string {
  return join(dirname(path), `${basename(path)}.${number}`);
}
