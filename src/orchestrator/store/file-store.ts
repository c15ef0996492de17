import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { PtcError } from '../../shared/errors.ts';
import { ConversationFile } from './conversation-file.ts';
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

/**
 * Keeps each conversation in a file of its own: a line of JSON for each entry, after one that has the key. Runs of one
 * conversation wait for each other, also those of other processes on this machine.
 */
export class FileStore implements ConversationStore {
  readonly #directory: string;
  /** By the keys of their conversations, those that were used last at the end. */
  readonly #files: Map<string, ConversationFile> = new Map();

  /** @throws PtcError `OPTION_INVALID`. */
  constructor({ directory }: FileStoreOptions) {
    if (typeof directory !== 'string' || directory === '') {
      throw new PtcError('OPTION_INVALID', 'directory must be the path of a directory.');
    }
    this.#directory = path.resolve(directory);
  }

  async load(key: string, after: number): Promise<readonly unknown[]> {
    return this.#file(key).load(after);
  }

  async append(key: string, entries: readonly ConversationEntry[], after: number): Promise<void> {
    await this.#makeDirectory();
    await this.#file(key).append(key, entries, after);
  }

  async hold(key: string, signal: AbortSignal): Promise<ConversationHold> {
    await this.#makeDirectory();
    return this.#file(key).hold(signal);
  }

  /** Deletes a conversation. No run of it may be under way. */
  async remove(key: string): Promise<void> {
    this.#files.delete(key);
    await rm(this.#path(key), { force: true });
  }

  async #makeDirectory(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
  }

  #file(key: string): ConversationFile {
    const file = this.#files.get(key) ?? new ConversationFile(this.#path(key));
    this.#files.delete(key);
    this.#files.set(key, file);
    const [oldest] = this.#files.keys();
    if (this.#files.size > REMEMBERED_FILES && oldest !== undefined) this.#files.delete(oldest);
    return file;
  }

  /** A key may have any characters, and file systems do not tell all of them apart. */
  #path(key: string): string {
    const digest = createHash('sha256').update(key).digest('hex');
    return path.join(this.#directory, `${digest}.jsonl`);
  }
}

/** Keeps conversations in files of a directory. @throws PtcError `OPTION_INVALID`. */
export function fileStore(options: FileStoreOptions): FileStore {
  return new FileStore(options);
}
