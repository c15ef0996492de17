import { PtcError } from '../shared/errors.ts';

const NOTHING = Buffer.alloc(0);

/**
 * Splits a byte stream, chunked anywhere, into lines, and limits the size of a line before it is
 * read.
 */
export class LineSplitter {
  maxLineBytes: number;
  /**
   * The beginning of this buffer is the current line. If the line arrives in pieces, the buffer
   * grows by doubling.
   */
  #line: Buffer = NOTHING;
  #bytes = 0;

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
      const newline = chunk.indexOf(0x0a, start);
      const end = newline === -1 ? chunk.length : newline;
      this.#add(chunk.subarray(start, end));
      if (newline === -1) return;
      yield this.takeRest();
      start = newline + 1;
    }
  }

  /** Takes the bytes after the last newline. */
  takeRest(): Buffer {
    const rest = this.#bytes < this.#line.length ? this.#line.subarray(0, this.#bytes) : this.#line;
    this.#line = NOTHING;
    this.#bytes = 0;
    return rest;
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
    const grown = Buffer.allocUnsafe(Math.min(this.#bytes * 2, this.maxLineBytes));
    this.#line.copy(grown, 0, 0, filled);
    this.#line = grown;
  }
}
