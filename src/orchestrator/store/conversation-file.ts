import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { holdNameWhenFree, isNameHeld } from '../../shared/held-name.ts';
import { invalidConversation } from '../conversation-document.ts';
import { conversationConflict } from './conflict.ts';
import type { ConversationEntry, ConversationHold } from './conversation-store.ts';

/** What a file has up to the end of a line. */
interface Place {
  readonly entries: number;
  readonly bytes: number;
}

const START_OF_FILE: Place = { entries: 0, bytes: 0 };

/** The end of the last whole line, and the place before that line, from which a reader goes on that checks it again. */
interface FileEnd {
  readonly end: Place;
  readonly beforeLast: Place;
}

/** How the first line begins, which has the key. */
const START = Buffer.from('{"conversation":');

/** One conversation in a file: a line of JSON for each entry, after one that has the conversation's key. */
export class ConversationFile {
  readonly #path: string;
  #known: FileEnd | undefined;

  constructor(filePath: string) {
    this.#path = path.resolve(filePath);
  }

  /**
   * As `ConversationStore.load`.
   * @throws PtcError `CONVERSATION_INVALID`, or the file system's error.
   */
  async load(after: number): Promise<readonly unknown[]> {
    const file = await this.#openIfThere();
    if (file === undefined) return [];
    try {
      const places = this.#known === undefined ? [] : [this.#known.end, this.#known.beforeLast];
      const known = places.find(({ entries }) => entries === after) ?? START_OF_FILE;
      // Another file may have taken its place since.
      const from = (await isEndOfLine(file, known)) ? known : START_OF_FILE;
      const { values, ...read } = await readEntries(file, from);
      this.#known = read;
      return values.slice(after - from.entries);
    } finally {
      await file.close();
    }
  }

  /**
   * As `ConversationStore.append`. The file is made if it is not there, its directory is not.
   * @throws as `load`, and PtcError `CONVERSATION_CONFLICT`.
   */
  async append(key: string, entries: readonly ConversationEntry[], after: number): Promise<void> {
    const file = await this.#open(constants.O_RDWR | constants.O_CREAT);
    try {
      const { size } = await file.stat();
      let end = this.#known?.end;
      if (end?.bytes !== size) {
        ({ end } = await readEntries(file, START_OF_FILE));
        // A process was killed while it wrote the rest.
        await file.truncate(end.bytes);
      }
      if (end.entries !== after) throw conversationConflict(key);
      const lines = end.bytes === 0 ? [{ conversation: key }, ...entries] : entries;
      const text = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      this.#known = undefined;
      await file.appendFile(text);
      await file.datasync();
      if (end.bytes === 0) await syncDirectory(path.dirname(this.#path));
      this.#known = endAfter(end, text, entries.length);
    } finally {
      await file.close();
    }
  }

  /** As `ConversationStore.hold`. */
  async hold(signal: AbortSignal): Promise<ConversationHold> {
    return holdNameWhenFree(await this.#name(), signal);
  }

  /** Whether somebody holds it, here or in another process. */
  async isHeld(): Promise<boolean> {
    return isNameHeld(await this.#name());
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
    return open(this.#path, flags | constants.O_APPEND | constants.O_NOFOLLOW, 0o600);
  }
}

/** Reads the whole lines after those that are known. */
async function readEntries(
  file: FileHandle,
  known: Place,
): Promise<FileEnd & { readonly values: readonly unknown[] }> {
  const bytes = await readFrom(file, known.bytes);
  if (known.bytes === 0) checkStart(bytes);
  const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
  const lines = whole.toString().split('\n').slice(0, -1);
  // The first one has the key.
  const entryLines = known.bytes === 0 ? lines.slice(1) : lines;
  const values = entryLines.map((line, index) => parseEntry(line, known.entries + index));
  return { values, ...endAfter(known, whole, values.length) };
}

/** Where a file ends if whole lines with some entries come after a place. */
function endAfter(place: Place, lines: Buffer, entries: number): FileEnd {
  const end = { entries: place.entries + entries, bytes: place.bytes + lines.length };
  if (entries === 0) return { end, beforeLast: place };
  const lastStart = lines.subarray(0, -1).lastIndexOf(0x0a) + 1;
  return {
    end,
    beforeLast: { entries: end.entries - 1, bytes: place.bytes + lastStart },
  };
}

async function isEndOfLine(file: FileHandle, { bytes }: Place): Promise<boolean> {
  if (bytes === 0) return true;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, bytes - 1);
  return bytesRead === 1 && buffer[0] === 0x0a;
}

/**
 * Refuses a file that is not a conversation, so that its last line is not cut off. A first line that a killed process did not
 * finish is accepted.
 */
function checkStart(bytes: Buffer): void {
  const start = bytes.subarray(0, START.length);
  if (start.equals(START.subarray(0, start.length))) return;
  throw invalidConversation(
    `its file does not begin with ${START.toString()} as those of fileStore and of chat --resume do`,
  );
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
