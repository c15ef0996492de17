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

/** The content is copied: a stream may give the same buffer again, with its next bytes. */
export async function* piecesOfStream(
  content: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Piece, void> {
  let piece = new Uint8Array(FILE_PIECE_BYTES);
  let size = 0;
  for await (const part of bytesOfParts(content)) {
    for (let start = 0; start < part.length;) {
      // A full piece is kept back until there is more, because it may be the last.
      if (size === FILE_PIECE_BYTES) {
        yield { bytes: piece, isLast: false };
        piece = new Uint8Array(FILE_PIECE_BYTES);
        size = 0;
      }
      const some = part.subarray(start, start + FILE_PIECE_BYTES - size);
      piece.set(some, size);
      size += some.length;
      start += some.length;
    }
  }
  yield { bytes: piece.subarray(0, size), isLast: true };
}

/** The bytes of each part. A text may end between the two halves of a character. */
async function* bytesOfParts(
  content: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  let half = '';
  for await (const part of content) {
    if (typeof part === 'string') {
      const text = half + part;
      half = /[\uD800-\uDBFF]/.exec(text.slice(-1))?.[0] ?? '';
      yield bytesOf(text.slice(0, text.length - half.length));
    } else {
      yield bytesOf(half);
      half = '';
      yield bytesOf(part);
    }
  }
  yield bytesOf(half);
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
