import { PtcError } from '../shared/errors.ts';
import { DATA_HEAD_LENGTH, endOfData } from './line-data.ts';

const NOTHING = Buffer.alloc(0);
const NEWLINE = 0x0a;
/** More than a frame behind data has. */
const FRAME_BYTES = 1024;

/**
 * Splits a byte stream, chunked anywhere, into lines, and limits the size of a line before it is
 * read. A line may begin with data, whose newlines do not end it.
 */
export class LineSplitter {
  maxLineBytes: number;
  /**
   * The beginning of this buffer is the current line. If the line arrives in pieces, the buffer
   * grows by doubling.
   */
  #line: Buffer = NOTHING;
  #bytes = 0;
  /** Where the data in front of the current line ends, once enough of the line is there to know. */
  #dataEnd = 0;

  constructor(maxLineBytes: number) {
    this.maxLineBytes = maxLineBytes;
  }

  /**
   * Adds the next bytes and yields the lines that they complete, without newlines.
   * @throws PtcError `PROTOCOL_VIOLATION` as soon as a line is too long, complete or not.
   */
  *push(chunk: Buffer): Generator<Buffer, void> {
    let start = 0;
    for (;;) {
      const searched = start + this.#dataLeft(chunk.subarray(start));
      const newline = searched < chunk.length ? chunk.indexOf(NEWLINE, searched) : -1;
      const end = newline === -1 ? chunk.length : newline;
      this.#add(chunk.subarray(start, end));
      if (newline === -1) return;
      yield this.takeRest();
      start = newline + 1;
    }
  }

  /** Takes the bytes after the last newline. */
  takeRest(): Buffer {
    const rest = this.#bytes < this.#line.length ? this.#begun : this.#line;
    this.#line = NOTHING;
    this.#bytes = 0;
    this.#dataEnd = 0;
    return rest;
  }

  /** How many of the next bytes of the current line are data, or belong to the head of data. */
  #dataLeft(next: Buffer): number {
    if (this.#bytes === 0) {
      this.#dataEnd = endOfData(next);
    } else if (this.#bytes < DATA_HEAD_LENGTH) {
      const missing = next.subarray(0, DATA_HEAD_LENGTH - this.#bytes);
      this.#dataEnd = endOfData(Buffer.concat([this.#begun, missing]));
    }
    return Math.max(0, this.#dataEnd - this.#bytes);
  }

  get #begun(): Buffer {
    return this.#line.subarray(0, this.#bytes);
  }

  #add(part: Buffer): void {
    if (part.length === 0) return;
    const before = this.#bytes;
    this.#bytes += part.length;
    if (this.#bytes > this.maxLineBytes) {
      this.#line = NOTHING;
      throw new PtcError(
        'PROTOCOL_VIOLATION',
        `The sandbox sent a frame of more than ${this.maxLineBytes} bytes.`,
        { details: { limitBytes: this.maxLineBytes } },
      );
    }
    if (before === 0) {
      this.#line = part;
      return;
    }
    // Copied, because a list of tiny pieces would take a hundred times as much memory as their
    // bytes.
    if (this.#bytes > this.#line.length) this.#grow(before);
    part.copy(this.#line, before);
  }

  #grow(filled: number): void {
    const expected = Math.max(this.#bytes * 2, this.#dataEnd + FRAME_BYTES);
    const grown = Buffer.allocUnsafe(Math.min(expected, this.maxLineBytes));
    this.#line.copy(grown, 0, 0, filled);
    this.#line = grown;
  }
}
