import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { PtcError } from '../shared/errors.ts';
import { MAXIMUM_LINE_BYTES, readLine, type ChainKey, type ChainLine } from './chain.ts';
import type { TornText } from './record.ts';

/** How an audit file ends. */
export interface AuditTail {
  /** Undefined if the file has no complete line. */
  readonly last: ChainLine | undefined;
  /** The part of a line that a crash left after the last line. */
  readonly torn: TornText | undefined;
  /** Whether the file ends within a line. */
  readonly open: boolean;
}

/** Enough for the last line of most files. If it is not, more is read. */
const FIRST_WINDOW_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * Finds the last line of a file and checks it.
 * @throws PtcError `AUDIT_LOG_INVALID` if the file does not end with a line of its chain or the
 * beginning of one.
 */
export async function readTail(
  handle: FileHandle,
  path: string,
  key: ChainKey,
): Promise<AuditTail> {
  const { size } = await handle.stat();
  for (let window = FIRST_WINDOW_BYTES; ; window *= 4) {
    const length = Math.min(size, window);
    const bytes = await readAt(handle, size - length, length);
    const tail = findTail(bytes, length === size, path, key);
    if (tail !== undefined) return tail;
    if (window > 2 * MAXIMUM_LINE_BYTES)
      throw invalid(path, 'its end does not contain a line of an audit log');
  }
}

/** The first line of a file; undefined if it is not a line of a chain. */
export async function readHead(handle: FileHandle, key: ChainKey): Promise<ChainLine | undefined> {
  const bytes = await readAt(handle, 0, FIRST_WINDOW_BYTES);
  const end = bytes.indexOf(LINE_FEED);
  const line = end === -1 ? undefined : readLine(bytes.subarray(0, end), key);
  return line !== undefined && 'seq' in line ? line : undefined;
}

/** @param whole - Whether `bytes` is the whole file. */
function findTail(
  bytes: Buffer,
  whole: boolean,
  path: string,
  key: ChainKey,
): AuditTail | undefined {
  const open = bytes.length > 0 && bytes.at(-1) !== LINE_FEED;
  const textEnd = open ? bytes.length : Math.max(0, bytes.length - 1);
  for (let end = textEnd; end > 0;) {
    const begin = bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
    if (begin === 0 && !whole) return undefined;
    const last = readLine(bytes.subarray(begin, end), key);
    if (last !== undefined) {
      return {
        last: checked(last, path),
        torn: end < textEnd ? tornText(bytes, end + 1, textEnd) : undefined,
        open,
      };
    }
    end = begin - 1;
  }
  if (!whole) return undefined;
  if (bytes.length === 0) return { last: undefined, torn: undefined, open };
  // Before its first line, a log can leave only part of that line. A file of another kind must not
  // be continued.
  const beginning = bytes.toString('latin1', 0, Math.min(2, textEnd));
  if (beginning === '' || !'{"'.startsWith(beginning)) {
    throw invalid(path, 'it is not an audit log');
  }
  return { last: undefined, torn: tornText(bytes, 0, textEnd), open };
}

function checked(line: Exclude<ReturnType<typeof readLine>, undefined>, path: string): ChainLine {
  if ('wrong' in line) throw invalid(path, `its last line is wrong: ${line.wrong}`);
  if (line.intact) return line;
  throw invalid(path, 'the hash of its last line does not match its content and this key');
}

function tornText(bytes: Buffer, begin: number, end: number): TornText {
  const sha256 = createHash('sha256').update(bytes.subarray(begin, end)).digest('hex');
  return { bytes: end - begin, sha256 };
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function invalid(path: string, reason: string): PtcError {
  return new PtcError(
    'AUDIT_LOG_INVALID',
    `The audit log ${path} cannot be continued: ${reason}. Check it with \`sandboxed-ptc audit verify\`, then move it away to begin a new one.`,
    { details: { path } },
  );
}
