import { Bytes } from './bytes.mjs';
import { DATA_HEAD_LENGTH, endOfData } from './frames.mjs';

const NEWLINE = 0x0a;
/** More than a frame behind data has. */
const FRAME_BYTES = 1024;

/**
 * Splits bytes into lines with their newlines. A line may begin with data, whose newlines do not end
 * it.
 */
export class Lines {
  #line = new Bytes();
  #dataEnd = 0;

  /** How many bytes the line has that is not complete. */
  get unfinishedBytes() {
    return this.#line.length;
  }

  /** Adds bytes, and yields the lines that they complete, each in its own buffer. */
  *push(bytes) {
    for (let start = 0; start < bytes.length;) {
      const newline = bytes.indexOf(NEWLINE, start + this.#dataLeft(bytes.subarray(start)));
      const end = newline === -1 ? bytes.length : newline + 1;
      if (newline !== -1 && this.#line.length === 0) {
        // Most lines are whole.
        yield bytes.slice(start, end);
      } else {
        const expected = this.#dataEnd > end - start ? this.#dataEnd + FRAME_BYTES : 0;
        this.#line.add(bytes.subarray(start, end), expected);
        if (newline !== -1) yield this.#line.take();
      }
      start = end;
    }
  }

  /** How many of the next bytes belong to data in front of the current line. */
  #dataLeft(next) {
    const { length } = this.#line;
    if (length === 0) {
      this.#dataEnd = endOfData(next);
    } else if (length < DATA_HEAD_LENGTH) {
      const head = new Bytes();
      head.add(this.#line.view());
      head.add(next.subarray(0, DATA_HEAD_LENGTH - length));
      this.#dataEnd = endOfData(head.view());
    }
    return Math.max(0, this.#dataEnd - length);
  }
}
