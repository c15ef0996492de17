import type { FileAnswerMessage } from '../../protocol/file-messages.ts';
import { PtcError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/guards.ts';
import type {
  FileEntry,
  FileList,
  FoundLine,
  FoundLines,
  FoundPaths,
} from '../../tools/session-files.ts';

/** A piece of a file. */
export interface FilePiece {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
  /** The size of the file when it was opened. */
  readonly sizeBytes: number;
}

const TYPES: readonly FileEntry['type'][] = ['file', 'directory', 'link', 'other'];

// Each of these throws `PROTOCOL_VIOLATION` for an answer that the runner never gives.

/** For operations that tell nothing. */
export function readNothing({ result, data }: FileAnswerMessage): void {
  if (result !== null || data !== null) throw wrongAnswer();
}

/** @param length - How many bytes were asked for. */
export function readPiece(answer: FileAnswerMessage, length: number): FilePiece {
  const result = record(answer.result);
  const { data: bytes } = answer;
  if (bytes === null) throw wrongAnswer();
  const isLast = flag(result['is_last']);
  if (bytes.length > length || (bytes.length < length && !isLast)) throw wrongAnswer();
  return { bytes, isLast, sizeBytes: count(result['size']) };
}

export function readEntry({ result }: FileAnswerMessage): FileEntry {
  return entry(result);
}

export function readList({ result }: FileAnswerMessage): FileList {
  const { entries, is_truncated } = record(result);
  return { entries: list(entries).map(entry), truncated: flag(is_truncated) };
}

export function readPaths({ result }: FileAnswerMessage): FoundPaths {
  const { paths, is_truncated } = record(result);
  return { paths: list(paths).map(text), truncated: flag(is_truncated) };
}

export function readLines({ result }: FileAnswerMessage): FoundLines {
  const { matches, is_truncated } = record(result);
  return { matches: list(matches).map(foundLine), truncated: flag(is_truncated) };
}

export function readReplacements({ result }: FileAnswerMessage): number {
  return count(record(result)['replacements']);
}

function entry(value: unknown): FileEntry {
  const { name, type, size, modified_ms } = record(value);
  const known = TYPES.find((one) => one === type);
  if (known === undefined || !Number.isSafeInteger(modified_ms)) throw wrongAnswer();
  return {
    name: text(name),
    type: known,
    sizeBytes: count(size),
    modifiedAtMs: Number(modified_ms),
  };
}

function foundLine(value: unknown): FoundLine {
  const { path, line, text: shown } = record(value);
  return { path: text(path), line: count(line), text: text(shown) };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw wrongAnswer();
  return value;
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongAnswer();
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw wrongAnswer();
  return value;
}

function flag(value: unknown): boolean {
  if (typeof value !== 'boolean') throw wrongAnswer();
  return value;
}

function count(value: unknown): number {
  if (!Number.isSafeInteger(value) || Number(value) < 0) throw wrongAnswer();
  return Number(value);
}

function wrongAnswer(): PtcError {
  return new PtcError(
    'PROTOCOL_VIOLATION',
    'The sandbox broke the protocol: an answer about a file does not fit its request.',
  );
}
