import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { checkOptionNames, type OptionsObject } from '../../../shared/options/option-names.ts';
import { invalidOption } from '../../../shared/options/option-values.ts';
import { checkKeyText } from '../../../sessions/options/keys-and-labels.ts';
import { makeDirectory } from '../../../shared/files/make-directory.ts';
import { ConversationFile } from './conversation-file.ts';
import { unfinishedPath } from './file-compaction.ts';
import type {
  StoreAppendOptions,
  ConversationHold,
  ConversationStore,
  StoreKeepFilesOptions,
  StoreLoadFileOptions,
  StoreSaveFileOptions,
  StoreHoldOptions,
  StoreLoadOptions,
  StoredEntry,
} from '../conversation-store.ts';
import { filesPath, StoredFiles } from '../stored-files.ts';

/** For how many files the end is remembered. For others, the file is read to find it. */
const REMEMBERED_FILES = 1000;

export interface FileStoreOptions {
  /** The directory of the files. If it does not exist, it is created for this user only. */
  readonly directory: string;
}

export const FILE_STORE_OPTIONS: OptionsObject<FileStoreOptions> = {
  of: 'fileStore',
  names: { directory: 'text' },
  page: 'docs/conversations.md',
  otherWords: { path: 'directory', dir: 'directory' },
  required: ['directory'],
};

/**
 * Keeps each conversation in its own file. The first line contains the key, and each further line
 * one entry as JSON. Its files are in a directory beside it. Runs of the same conversation wait for each other, even in different processes
 * on this machine.
 */
export class FileStore implements ConversationStore {
  readonly #directory: string;
  /** By conversation key. The one that was used last is at the end. */
  readonly #files: Map<string, ConversationFile> = new Map();

  /** @throws PtcError `OPTION_INVALID`. */
  constructor(options: FileStoreOptions) {
    checkOptionNames(options, FILE_STORE_OPTIONS);
    const { directory } = options;
    if (directory === '') {
      throw invalidOption('directory', directory, 'the path of a directory');
    }
    this.#directory = path.resolve(directory);
  }

  async load({ key, after }: Omit<StoreLoadOptions, 'signal'>): Promise<readonly StoredEntry[]> {
    return this.#file(key).load(after);
  }

  async append({ key, entries, after }: StoreAppendOptions): Promise<void> {
    await this.#makeDirectory();
    await this.#file(key).append(key, entries, after);
  }

  async hold({ key, signal }: StoreHoldOptions): Promise<ConversationHold> {
    await this.#makeDirectory();
    return this.#file(key).hold(signal);
  }

  async isHeld({ key }: { readonly key: string }): Promise<boolean> {
    await this.#makeDirectory();
    return this.#file(key).isHeld();
  }

  async saveFile({ key, sha256, data }: StoreSaveFileOptions): Promise<void> {
    await this.#makeDirectory();
    await this.#storedFiles(key).save(sha256, data);
  }

  async loadFile({
    key,
    sha256,
  }: Omit<StoreLoadFileOptions, 'signal'>): Promise<Uint8Array | undefined> {
    return this.#storedFiles(key).load(sha256);
  }

  async keepFiles({ key, kept }: StoreKeepFilesOptions): Promise<void> {
    await this.#storedFiles(key).keep(kept);
  }

  /** Deletes a conversation and its files. It must not have a run in progress. */
  async remove(key: string): Promise<void> {
    this.#files.delete(key);
    const filePath = this.#path(key);
    await rm(unfinishedPath(filePath), { force: true });
    await rm(filePath, { force: true });
    await this.#storedFiles(key).remove();
  }

  async #makeDirectory(): Promise<void> {
    await makeDirectory(this.#directory, 0o700);
  }

  #file(key: string): ConversationFile {
    const file = this.#files.get(key) ?? new ConversationFile(this.#path(key), key);
    this.#files.delete(key);
    this.#files.set(key, file);
    const [oldest] = this.#files.keys();
    if (this.#files.size > REMEMBERED_FILES && oldest !== undefined) this.#files.delete(oldest);
    return file;
  }

  #storedFiles(key: string): StoredFiles {
    return new StoredFiles(filesPath(this.#path(key)));
  }

  /**
   * A digest, because a key may have any characters, and some file systems do not distinguish all
   * of them.
   */
  #path(key: string): string {
    checkKeyText('key', key);
    const digest = createHash('sha256').update(key).digest('hex');
    return path.join(this.#directory, `${digest}.jsonl`);
  }
}

/**
 * Creates a store that keeps conversations in the files of a directory.
 * @throws PtcError `OPTION_INVALID`.
 */
export function fileStore(options: FileStoreOptions): FileStore {
  return new FileStore(options);
}
