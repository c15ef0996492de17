import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { holdNameWhenFree, isNameHeld } from '../../shared/held-names/held-name.ts';
import { LoopPauses } from '../../shared/async/loop-pauses.ts';
import { checkKindAndOwner, UNTRUSTED_PATH } from '../../shared/own-file.ts';
import { invalidConversation } from '../conversation/conversation-document.ts';
import { conversationConflict } from './conflict.ts';
import type { ConversationEntry, ConversationHold } from './conversation-store.ts';

/** A position at the end of a line: the entries and bytes before it. */
interface FilePosition {
  readonly entries: number;
  readonly bytes: number;
}

const START_OF_FILE: FilePosition = { entries: 0, bytes: 0 };

/**
 * The end of the last complete line, and the end of the line before it. A reader that continues
 * there reads the last line again, and so checks it.
 */
interface FileEnd {
  readonly end: FilePosition;
  readonly beforeLast: FilePosition;
}

/** The start of the first line, which contains the key. */
const START = Buffer.from('{"conversation":');
/** The start of a line with messages, after the line before it. */
const MESSAGES = Buffer.from('\n{"type":"messages"');
/** The start of a line about a call. A line that begins otherwise is read whatever it is about. */
const CALL = Buffer.from('{"type":"call-');
const LINE_FEED = 0x0a;
/** How much of a foreign first line an error shows, in characters. */
const MAX_SHOWN_LENGTH = 200;

/**
 * One conversation in a file. The first line contains its key, and each further line one entry as
 * JSON.
 */
export class ConversationFile {
  readonly #path: string;
  readonly #key: string | undefined;
  #known: FileEnd | undefined;

  /** @param key - The key that the first line must contain. By default, any. */
  constructor(filePath: string, key?: string) {
    this.#path = path.resolve(filePath);
    this.#key = key;
  }

  /**
   * As `ConversationStore.load`.
   * @throws PtcError `CONVERSATION_INVALID`, or the file system's error.
   */
  async load(after: number): Promise<readonly unknown[]> {
    const file = await this.#openIfThere();
    if (file === undefined) return [];
    try {
      const positions = this.#known === undefined ? [] : [this.#known.end, this.#known.beforeLast];
      const known = positions.find(({ entries }) => entries === after) ?? START_OF_FILE;
      // Another file may have replaced it since.
      const from = (await isEndOfLine(file, known)) ? known : START_OF_FILE;
      const { values, ...read } = await readEntries(file, from, this.#key);
      this.#known = read;
      return values.slice(after - from.entries);
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
      let end = this.#known?.end;
      if (end?.bytes !== size) {
        ({ end } = await readEntries(file, START_OF_FILE, this.#key));
        // A process was killed while it wrote the last line.
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

  /** Whether any process holds the conversation. */
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
  const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1);
  const lastMessages = whole.lastIndexOf(MESSAGES);
  // The first line contains the key.
  let start = known.bytes === 0 ? whole.indexOf(LINE_FEED) + 1 : 0;
  const pauses = new LoopPauses();
  const values: unknown[] = [];
  while (start < whole.length) {
    const pause = pauses.next();
    if (pause !== undefined) await pause;
    const end = whole.indexOf(LINE_FEED, start);
    const isDone = start < lastMessages && startsWith(whole, CALL, start);
    const line = isDone ? undefined : whole.toString('utf8', start, end);
    values.push(line === undefined ? null : parseEntry(line, known.entries + values.length));
    start = end + 1;
  }
  return { values, ...endAfter(known, whole, values.length) };
}

function startsWith(bytes: Buffer, start: Buffer, at: number): boolean {
  return bytes.compare(start, 0, start.length, at, at + start.length) === 0;
}

/** The end of a file if these lines, with this number of entries, follow a position. */
function endAfter(position: FilePosition, lines: Buffer, entries: number): FileEnd {
  const end = { entries: position.entries + entries, bytes: position.bytes + lines.length };
  if (entries === 0) return { end, beforeLast: position };
  const lastStart = lines.subarray(0, -1).lastIndexOf(0x0a) + 1;
  return {
    end,
    beforeLast: { entries: end.entries - 1, bytes: position.bytes + lastStart },
  };
}

async function isEndOfLine(file: FileHandle, { bytes }: FilePosition): Promise<boolean> {
  if (bytes === 0) return true;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, bytes - 1);
  return bytesRead === 1 && buffer[0] === 0x0a;
}

/**
 * Rejects a file that is not a conversation, so that its last line is not truncated. A first line
 * that a killed process did not finish is accepted.
 */
function checkStart(bytes: Buffer, key: string | undefined): void {
  const start = bytes.subarray(0, START.length);
  if (!start.equals(START.subarray(0, start.length))) {
    throw invalidConversation(
      `its file does not begin with ${START.toString()} like those of fileStore and chat --resume`,
    );
  }
  const end = bytes.indexOf(LINE_FEED);
  if (key === undefined || end === -1) return;
  const line = bytes.toString('utf8', 0, end);
  if (line === JSON.stringify({ conversation: key })) return;
  throw invalidConversation(
    `its file belongs to another one: it begins with ${line.slice(0, MAX_SHOWN_LENGTH)}`,
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

/** Makes sure that a new file is found after a power failure. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
