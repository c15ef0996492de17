import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { invalidConversation } from '../../conversation/conversation-document.ts';

/** A position at the end of a line: the entries and bytes before it. */
export interface FilePosition {
  readonly entries: number;
  readonly bytes: number;
}

/** The size of lines, and what tells their last one from others. */
export interface Lines {
  readonly bytes: number;
  /** How many bytes precede the last line. */
  readonly lastStart: number;
  /** The SHA-256 digest of the last line. */
  readonly lastDigest: string;
}

export const START_OF_FILE: FilePosition = { entries: 0, bytes: 0 };

/**
 * The end of the last complete line, and the end of the line before it. A reader that continues
 * there reads the last line again, and so checks it.
 */
export interface FileEnd {
  readonly end: FilePosition;
  readonly beforeLast: FilePosition;
  /** A digest of the last line. */
  readonly lastLine: string;
}

/** The start of the first line, which contains the key. */
const START = Buffer.from('{"conversation":');
/** The start of a line with messages, after the line before it. */
const MESSAGES = Buffer.from('\n{"type":"messages"');
/** The start of a line about a call. A line that begins otherwise is read whatever it is about. */
const CALL = Buffer.from('{"type":"tool-call-');
export const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** JSON has no smaller characters in a text. */
const SPACE = 0x20;
/** A read takes less than 2 GiB. */
const MAX_READ_BYTES = 2 ** 24;
/** How much of a line is digested at once. */
const MAX_PIECE_BYTES = 2 ** 20;
/** How much of a foreign first line an error shows, in characters. */
const MAX_SHOWN_LENGTH = 200;

/**
 * Reads the bytes of a file from a position on. They go straight to their place: to join pieces of a
 * large file would hold the event loop.
 */
export async function readFrom(file: FileHandle, start: number): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, size - start));
  let filled = 0;
  while (filled < bytes.length) {
    const length = Math.min(MAX_READ_BYTES, bytes.length - filled);
    const { bytesRead } = await file.read(bytes, filled, length, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** The part without a last line that a killed process did not finish. */
export function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1);
}

/** Where the line before the last messages ends; -1 if there is none. */
export function endBeforeLastMessages(lines: Buffer): number {
  return lines.lastIndexOf(MESSAGES);
}

/** Whether a line that begins here is about a call. */
export function isAboutCall(lines: Buffer, start: number): boolean {
  return lines.compare(CALL, 0, CALL.length, start, start + CALL.length) === 0;
}

/** Where lines end whose bytes are here. */
export function measureLines(lines: Buffer): Lines {
  const lastStart = lines.subarray(0, -1).lastIndexOf(LINE_FEED) + 1;
  const hash = createHash('sha256').update(lines.subarray(lastStart));
  return { bytes: lines.length, lastStart, lastDigest: hash.digest('base64') };
}

/** The end of a file if these lines, with this number of entries, follow a position. */
export function endAfter(position: FilePosition, lines: Lines, entries: number): FileEnd {
  const { bytes, lastStart, lastDigest } = lines;
  const end = { entries: position.entries + entries, bytes: position.bytes + bytes };
  const beforeLast = {
    entries: end.entries - Math.min(entries, 1),
    bytes: position.bytes + lastStart,
  };
  return { end, beforeLast, lastLine: lastDigest };
}

/**
 * Whether the last line that is known of a file is still in its place. It is not if the file was
 * removed and written again, or compacted, which moves all lines after the first call.
 */
export async function isLineInPlace(file: FileHandle, known: FileEnd): Promise<boolean> {
  const hash = createHash('sha256');
  const { bytes: end } = known.end;
  let at = known.beforeLast.bytes;
  // In pieces, because to digest a line with many images holds the event loop.
  const piece = Buffer.alloc(Math.min(end - at, MAX_PIECE_BYTES));
  while (at < end) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, end - at), at);
    if (bytesRead === 0) return false;
    hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest('base64') === known.lastLine;
}

/**
 * Rejects a file that is not a conversation, so that nothing is added to it and no line of it is
 * truncated. A first line that a killed process did not finish is accepted.
 */
export function checkStart(bytes: Buffer, key: string | undefined): void {
  const start = bytes.subarray(0, START.length);
  if (!start.equals(START.subarray(0, start.length))) {
    throw invalidConversation(
      `its file does not begin with ${START.toString()} like those of fileStore and chat --resume`,
    );
  }
  const lineFeed = bytes.indexOf(LINE_FEED);
  const line = lineFeed === -1 ? bytes : bytes.subarray(0, lineFeed + 1);
  const shown = line
    .toString('utf8', 0, 4 * MAX_SHOWN_LENGTH)
    .trimEnd()
    .slice(0, MAX_SHOWN_LENGTH);
  if (key === undefined) {
    if (isLineWithKey(line)) return;
    throw invalidConversation(
      `its file begins with ${shown}, but the first line of those of fileStore and chat --resume has a key alone`,
    );
  }
  const whole = Buffer.from(`${JSON.stringify({ conversation: key })}\n`);
  // Only a line that was cut off is shorter, because the line feed is part of it.
  if (whole.subarray(0, line.length).equals(line)) return;
  throw invalidConversation(`its file belongs to another one: it begins with ${shown}`);
}

/**
 * Whether a line that begins like `START` has nothing but a key, or is the beginning of such a line.
 * `{"conversation":"…"}` without a line feed is not accepted: that is a whole JSON document, and so
 * more probably the file of somebody else than a line that was cut off there.
 */
function isLineWithKey(line: Buffer): boolean {
  if (line.length <= START.length) return true;
  if (line[START.length] !== QUOTE) return false;
  let at = START.length + 1;
  while (at < line.length && line[at] !== QUOTE) {
    if ((line[at] ?? 0) < SPACE) return false;
    at += line[at] === BACKSLASH ? 2 : 1;
  }
  const rest = line.toString('latin1', at + 1, at + 4);
  return rest === '' || rest === '}\n';
}
