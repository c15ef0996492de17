import { FILE_PIECE_BYTES } from '../../protocol/frames.ts';
import { invalidOption } from '../../shared/options/option-values.ts';
import type { FileContent } from '../../tools/session-files.ts';

const encoder = new TextEncoder();

/** As much of content as a frame takes. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/**
 * Cuts content into pieces of the size of a frame. There is at least one, and only the last is
 * shorter.
 * @throws PtcError `OPTION_INVALID` for what cannot be written.
 */
export function piecesOf(content: FileContent): Iterable<Piece> | AsyncIterable<Piece> {
  return isStream(content) ? piecesOfStream(content) : piecesOfBytes(bytesOf(content));
}

export function* piecesOfBytes(bytes: Uint8Array): Generator<Piece, void> {
  let start = 0;
  for (; bytes.length - start > FILE_PIECE_BYTES; start += FILE_PIECE_BYTES) {
    yield { bytes: bytes.subarray(start, start + FILE_PIECE_BYTES), isLast: false };
  }
  yield { bytes: bytes.subarray(start), isLast: true };
}

/** Content that comes in large parts is not copied. */
export async function* piecesOfStream(
  content: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Piece, void> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const given of content) {
    const part = bytesOf(given);
    for (let start = 0; start < part.length; start += FILE_PIECE_BYTES) {
      const some = part.subarray(start, start + FILE_PIECE_BYTES);
      waiting.push(some);
      size += some.length;
      // One piece is kept back, because it may be the last.
      if (size <= FILE_PIECE_BYTES) continue;
      const [first = some] = waiting;
      const all = first.length === FILE_PIECE_BYTES ? first : Buffer.concat(waiting);
      yield { bytes: all.subarray(0, FILE_PIECE_BYTES), isLast: false };
      waiting = all === first ? [some] : [all.subarray(FILE_PIECE_BYTES)];
      size -= FILE_PIECE_BYTES;
    }
  }
  const [only] = waiting;
  const bytes = waiting.length === 1 && only ? only : Buffer.concat(waiting);
  yield { bytes, isLast: true };
}

/** @throws PtcError `OPTION_INVALID` for what is neither text nor bytes. */
export function bytesOf(part: unknown): Uint8Array {
  if (typeof part === 'string') return encoder.encode(part);
  if (part instanceof Uint8Array) return part;
  throw invalidOption('content', part, 'text, a Uint8Array, or a stream of them');
}

function isStream(content: unknown): content is AsyncIterable<string | Uint8Array> {
  return typeof content === 'object' && content !== null && Symbol.asyncIterator in content;
}
