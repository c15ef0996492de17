import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, realpath, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { PtcError } from '../../shared/errors.ts';
import { holdNameWhenFree } from '../../shared/held-name.ts';
import { invalidConversation } from '../conversation-document.ts';
import { conversationConflict } from './conflict.ts';
import type {
  ConversationEntry,
  ConversationHold,
  ConversationStore,
} from './conversation-store.ts';

/** Of how many files the end is remembered. The end of another one is found by reading it. */
const REMEMBERED_FILES = 1000;

export interface FileStoreOptions {
  /** Where the files lie. It is made if it is not there, for this user alone. */
  readonly directory: string;
}

/** What a file has, up to the end of its last whole line. */
interface FileEnd {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Keeps each conversation in a file of its own: a line of JSON for each entry, after one that has the key. Runs of one
 * conversation wait for each other, also those of other processes on this machine.
 */
export class FileStore implements ConversationStore {
  readonly #directory: string;
  readonly #ends: Map<string, FileEnd> = new Map();

  /** @throws PtcError `OPTION_INVALID`. */
  constructor({ directory }: FileStoreOptions) {
    if (typeof directory !== 'string' || directory === '') {
      throw new PtcError('OPTION_INVALID', 'directory must be the path of a directory.');
    }
    this.#directory = path.resolve(directory);
  }

  async load(key: string, after: number): Promise<readonly unknown[]> {
    const file = await this.#open(key, constants.O_RDONLY);
    if (file === undefined) return [];
    try {
      const end = this.#ends.get(key);
      const known = end?.entries === after ? end : NOTHING;
      const { values, read } = await readEntries(file, known);
      this.#remember(key, read);
      return values.slice(after - known.entries);
    } finally {
      await file.close();
    }
  }

  async append(key: string, entries: readonly ConversationEntry[], after: number): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const file = await this.#open(key, constants.O_RDWR | constants.O_CREAT);
    if (file === undefined) throw conversationConflict(key);
    try {
      const { size } = await file.stat();
      let end = this.#ends.get(key);
      if (end?.bytes !== size) {
        end = (await readEntries(file, NOTHING)).read;
        // A process was killed while it wrote the rest.
        await file.truncate(end.bytes);
      }
      if (end.entries !== after) throw conversationConflict(key);
      const lines = end.bytes === 0 ? [{ conversation: key }, ...entries] : entries;
      const text = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      this.#ends.delete(key);
      await file.appendFile(text);
      await file.datasync();
      if (end.bytes === 0) await syncDirectory(this.#directory);
      this.#remember(key, {
        entries: after + entries.length,
        bytes: end.bytes + text.length,
      });
    } finally {
      await file.close();
    }
  }

  async hold(key: string, signal: AbortSignal): Promise<ConversationHold> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    return holdNameWhenFree(`conversation/${await realpath(this.#directory)}/${key}`, signal);
  }

  /** Deletes a conversation. No run of it may be under way. */
  async remove(key: string): Promise<void> {
    this.#ends.delete(key);
    await rm(this.#path(key), { force: true });
  }

  /** Undefined if it is to be read and is not there. */
  async #open(key: string, flags: number): Promise<FileHandle | undefined> {
    try {
      return await open(this.#path(key), flags | constants.O_APPEND | constants.O_NOFOLLOW, 0o600);
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (isMissing && (flags & constants.O_CREAT) === 0) return undefined;
      throw error;
    }
  }

  /** A key may have any characters, and file systems do not tell all of them apart. */
  #path(key: string): string {
    const digest = createHash('sha256').update(key).digest('hex');
    return path.join(this.#directory, `${digest}.jsonl`);
  }

  #remember(key: string, end: FileEnd): void {
    this.#ends.delete(key);
    this.#ends.set(key, end);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > REMEMBERED_FILES && oldest !== undefined) this.#ends.delete(oldest);
  }
}

/** Keeps conversations in files of a directory. @throws PtcError `OPTION_INVALID`. */
export function fileStore(options: FileStoreOptions): FileStore {
  return new FileStore(options);
}

const NOTHING: FileEnd = { entries: 0, bytes: 0 };

/** Reads the whole lines after those that are known. */
async function readEntries(
  file: FileHandle,
  known: FileEnd,
): Promise<{ values: readonly unknown[]; read: FileEnd }> {
  const bytes = await readFrom(file, known.bytes);
  const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
  const lines = whole.toString().split('\n').slice(0, -1);
  // The first one has the key.
  const entryLines = known.bytes === 0 ? lines.slice(1) : lines;
  const values = entryLines.map((line, index) => parseEntry(line, known.entries + index));
  const read = { entries: known.entries + values.length, bytes: known.bytes + whole.length };
  return { values, read };
}

async function readFrom(file: FileHandle, start: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const stream = file.createReadStream({ start, autoClose: false });
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parseEntry(line: string, index: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw invalidConversation(`entry ${index} of its file is not JSON (${String(error)})`);
  }
}

/** Has a new file be found after a power failure. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
