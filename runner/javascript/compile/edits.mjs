/** Edits of a text that keep its lines, and the original column of each position. */

const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;
const ANY_LINE_END = /[\n\r\u2028\u2029]/;
const ALL_BUT_LINE_ENDS = /[^\n\r\u2028\u2029]/g;

// The order of insertions at one offset: ends of what is before it, then of the statement,
// beginnings of what follows, then the text itself.
const CLOSING = 0;
const FOLLOWING = 1;
const OPENING = 2;
const RANGE = 3;

/** Returns `text` with a space instead of each character except line endings. */
export function blanked(text) {
  return text.replace(ALL_BUT_LINE_ENDS, ' ');
}

/**
 * Collects edits of `source`, in any order of their offsets. Edits of an inner part are added
 * before those of the parts around it. Ranges do not overlap. Inserted texts have no line endings.
 */
export class Edits {
  #source;
  #edits = [];
  #ended = new Set();
  #attributions = [];

  constructor(source) {
    this.#source = source;
  }

  /** Inserts `text` before the part that starts at `offset`. */
  open(offset, text) {
    this.#add(offset, offset, text, OPENING);
  }

  /** Inserts `text` after the part that ends at `offset`. */
  close(offset, text) {
    this.#add(offset, offset, text, CLOSING);
  }

  /** Inserts `text` after the statement that ends at `offset`. */
  follow(offset, text) {
    this.#add(offset, offset, text, FOLLOWING);
  }

  /** Ends a statement that a line ending ended, because it could now continue on the next line. */
  endStatement({ end }) {
    if (this.#source[end - 1] !== ';' && !this.#ended.has(end)) {
      this.#ended.add(end);
      this.follow(end, ';');
    }
  }

  /** Replaces a range by `text`, and its rest by spaces. */
  replace(start, end, text) {
    this.#add(start, end, text, RANGE);
  }

  /** Replaces a range by spaces. */
  blank(start, end) {
    this.replace(start, end, '');
  }

  /** Makes errors from `start` to `end` point to `target`, if that is on the same line. */
  attribute(start, end, target) {
    this.#attributions.push({ start, end, target });
  }

  #add(start, end, text, rank) {
    if (start === end && text === '') {
      return;
    }
    const sequence = this.#edits.length;
    this.#edits.push({ start, end, text, rank, order: rank === OPENING ? -sequence : sequence });
  }

  /** Returns the text with all edits. */
  apply() {
    const edits = this.#edits.sort(
      (left, right) =>
        left.start - right.start || left.rank - right.rank || left.order - right.order,
    );
    const pieces = [];
    const insertions = [];
    let copied = 0;
    let inserted = 0;
    for (const { start, end, text } of edits) {
      const gap = blanked(this.#source.slice(start, end));
      const covers = gap.slice(0, text.length) === ' '.repeat(text.length);
      pieces.push(this.#source.slice(copied, start), text, covers ? gap.slice(text.length) : gap);
      copied = end;
      if (!covers) {
        insertions.push({ offset: start, generated: start + inserted, length: text.length });
        inserted += text.length;
      }
    }
    pieces.push(this.#source.slice(copied));
    return new EditedText(pieces.join(''), this.#source, insertions, this.#attributions);
  }
}

/** A text with its edits, which maps its positions to those of the source. */
class EditedText {
  #source;
  #insertions;
  #attributions;

  constructor(text, source, insertions, attributions) {
    /** @type {string} */
    this.text = text;
    this.#source = source;
    this.#insertions = insertions;
    this.#attributions = attributions;
  }

  /** The offset in this text of the beginning of a part that begins at `offset` in the source. */
  startOf(offset) {
    return offset + this.#insertedBefore((insertion) => insertion.offset > offset);
  }

  /** The offset in this text of the end of a part that ends at `offset` in the source. */
  endOf(offset) {
    return offset + this.#insertedBefore((insertion) => insertion.offset >= offset);
  }

  /** The column in the source, from 1, of `column` in this text. */
  originalColumn(line, column) {
    const lineStart = startOfLine(this.#source, line);
    const generated = this.endOf(lineStart) + column - 1;
    let original = generated;
    for (const insertion of this.#insertions) {
      if (insertion.generated > generated) {
        break;
      }
      const within = Math.min(insertion.length, generated - insertion.generated);
      original -= within;
    }
    return Math.max(1, this.#attributed(original) - lineStart + 1);
  }

  #attributed(offset) {
    const found = this.#attributions.find(({ start, end }) => start <= offset && offset < end);
    const isOneLine = found && !ANY_LINE_END.test(this.#source.slice(found.start, found.target));
    return isOneLine ? found.target : offset;
  }

  /**
   * The length of all insertions before the first one for which `isBeyond` is true (as it is for
   * all after it).
   */
  #insertedBefore(isBeyond) {
    let low = 0;
    let high = this.#insertions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBeyond(this.#insertions[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const last = this.#insertions[low - 1];
    return last === undefined ? 0 : last.generated - last.offset + last.length;
  }
}

function startOfLine(text, line) {
  let current = 1;
  for (const { index, 0: end } of text.matchAll(LINE_END)) {
    if (current === line) {
      break;
    }
    current += 1;
    if (current === line) {
      return index + end.length;
    }
  }
  return 0;
}
