import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { holdNameWhenFree, isNameHeld } from '../../../shared/held-names/held-name.ts';
import { LoopPauses } from '../../../shared/async/loop-pauses.ts';
import { checkKindAndOwner, UNTRUSTED_PATH } from '../../../shared/files/own-file.ts';
import { invalidConversation } from '../../conversation/conversation-document.ts';
import { conversationConflict } from '../conflict.ts';
import type { ConversationEntry, ConversationHold, StoredEntry } from '../conversation-store.ts';
import { appendLines } from './append-lines.ts';
import { compactFile, syncDirectory } from './file-compaction.ts';
import {
  checkStart,
  endAfter,
  endBeforeLastMessages,
  isAboutCall,
  isLineInPlace,
  LINE_FEED,
  measureLines,
  readFrom,
  START_OF_FILE,
  wholeLines,
  type FileEnd,
  type FilePosition,
} from './file-lines.ts';

/** Smaller files are not compacted. */
const MIN_COMPACTED_BYTES = 1024 * 1024;

/**
 * One conversation in a file. The first line contains its key, and each further line one entry as
 * JSON.
 */
export class ConversationFile {
  readonly #path: string;
  readonly #key: string | undefined;
  #known: FileEnd | undefined;
  /** From which size on it is looked whether calls can be dropped. */
  #compactAtBytes = MIN_COMPACTED_BYTES;

  /** @param key - The key that the first line must contain. By default, any. */
  constructor(filePath: string, key?: string) {
    this.#path = path.resolve(filePath);
    this.#key = key;
  }

  /**
   * As `ConversationStore.load`.
   * @throws PtcError `CONVERSATION_INVALID`, or the file system's error.
   */
  async load(after: number): Promise<readonly StoredEntry[]> {
    const file = await this.#openIfThere();
    if (file === undefined) return [];
    try {
      const known = await this.#knownIn(file);
      const positions = known === undefined ? [] : [known.end, known.beforeLast];
      const from = positions.find(({ entries }) => entries === after) ?? START_OF_FILE;
      const { values, ...read } = await readEntries(file, from, this.#key);
      this.#known = from === known?.end && values.length === 0 ? known : read;
      // The caller validates them.
      return values.slice(after - from.entries) as StoredEntry[];
    } finally {
      await file.close();
    }
  }

  /**
   * As `ConversationStore.append`. Creates the file if it does not exist, but not its directory.
   * @throws as `load`, and PtcError `CONVERSATION_CONFLICT`.
   */
  async append(key: string, entries: readonly ConversationEntry[], after: number): Promise<void> {
    const file = await this.#open(constants.O_RDWR | constants.O_CREAT);
    try {
      const { size } = await file.stat();
      let end = (await this.#knownIn(file))?.end;
      if (end?.bytes !== size) {
        ({ end } = await readEntries(file, START_OF_FILE, this.#key));
        // A process was killed while it wrote the last line.
        await file.truncate(end.bytes);
      }
      if (end.entries !== after) throw conversationConflict(key);
      const lines = end.bytes === 0 ? [{ conversation: key }, ...entries] : entries;
      this.#known = undefined;
      const appended = await appendLines(file, lines);
      await file.datasync();
      if (end.bytes === 0) await syncDirectory(path.dirname(this.#path));
      this.#known = endAfter(end, appended, entries.length);
    } finally {
      await file.close();
    }
  }

  /**
   * As `ConversationStore.hold`. At its release, the file is compacted if that is worth it, because
   * nobody else writes to it then.
   */
  async hold(signal: AbortSignal): Promise<ConversationHold> {
    const held = await holdNameWhenFree(await this.#name(), signal);
    return {
      release: async () => {
        try {
          await this.#compact();
        } catch {
          // It stays as it was, for instance because the disk is full. All that was written is there.
        } finally {
          await held.release();
        }
      },
    };
  }

  /** Whether any process holds the conversation. */
  async isHeld(): Promise<boolean> {
    return isNameHeld(await this.#name());
  }

  async #compact(): Promise<void> {
    const file = await this.#openIfThere();
    if (file === undefined) return;
    try {
      const { size } = await file.stat();
      if (size < this.#compactAtBytes) return;
      this.#compactAtBytes = 2 * size;
      const left = await compactFile(this.#path, file, this.#key);
      this.#compactAtBytes = Math.max(MIN_COMPACTED_BYTES, 2 * left);
    } finally {
      await file.close();
    }
  }

  /** What is known of a file, if another process has not replaced it since. */
  async #knownIn(file: FileHandle): Promise<FileEnd | undefined> {
    const known = this.#known;
    return known !== undefined && (await isLineInPlace(file, known)) ? known : undefined;
  }

  async #name(): Promise<string> {
    const directory = await realpath(path.dirname(this.#path));
    return `conversation/${path.join(directory, path.basename(this.#path))}`;
  }

  async #openIfThere(): Promise<FileHandle | undefined> {
    try {
      return await this.#open(constants.O_RDONLY);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #open(flags: number): Promise<FileHandle> {
    const file = await open(this.#path, flags | constants.O_APPEND | UNTRUSTED_PATH, 0o600);
    try {
      // Another user may have put something there before.
      checkKindAndOwner(this.#path, await file.stat());
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}

/** Reads the complete lines after a position. */
async function readEntries(
  file: FileHandle,
  known: FilePosition,
  key: string | undefined,
): Promise<FileEnd & { readonly values: readonly unknown[] }> {
  const bytes = await readFrom(file, known.bytes);
  if (known.bytes === 0) checkStart(bytes, key);
  const whole = wholeLines(bytes);
  const lastMessages = endBeforeLastMessages(whole);
  // The first line contains the key.
  let start = known.bytes === 0 ? whole.indexOf(LINE_FEED) + 1 : 0;
  const pauses = new LoopPauses();
  const values: unknown[] = [];
  while (start < whole.length) {
    const pause = pauses.next();
    if (pause !== undefined) await pause;
    const end = whole.indexOf(LINE_FEED, start);
    const isDone = start < lastMessages && isAboutCall(whole, start);
    const line = isDone ? undefined : whole.toString('utf8', start, end);
    values.push(line === undefined ? null : parseEntry(line, known.entries + values.length));
    start = end + 1;
  }
  return { values, ...endAfter(known, measureLines(whole), values.length) };
}

function parseEntry(line: string, index: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw invalidConversation(`entry ${index} of its file is not JSON (${String(error)})`);
  }
}
