/** Changes to a text that keep its lines, and where each column of the outcome came from. */

const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;
const ANY_LINE_END = /[\n\r\u2028\u2029]/;
const ALL_BUT_LINE_ENDS = /[^\n\r\u2028\u2029]/g;

// What stands at one offset: ends of what is before it, then of the statement, beginnings of what follows, then
// the text itself.
const CLOSING = 0;
const FOLLOWING = 1;
const OPENING = 2;
const RANGE = 3;

/** `text` with a space for each character but the ends of lines. */
export function blanked(text) {
  return text.replace(ALL_BUT_LINE_ENDS, ' ');
}

/**
 * Collects edits of `source` in any order of place. What belongs to an inner part is added before what belongs to
 * the parts around it; ranges do not overlap; no inserted text has an end of line.
 */
export class Edits {
  #source;
  #edits = [];
  #ended = new Set();
  #attributions = [];

  constructor(source) {
    this.#source = source;
  }

  /** Puts `text` before what starts at `offset`. */
  open(offset, text) {
    this.#add(offset, offset, text, OPENING);
  }

  /** Puts `text` after what ends at `offset`. */
  close(offset, text) {
    this.#add(offset, offset, text, CLOSING);
  }

  /** Puts `text` after the statement that ends at `offset`. */
  follow(offset, text) {
    this.#add(offset, offset, text, FOLLOWING);
  }

  /** Ends a statement that an end of line ended, and that now could go on with the next line. */
  endStatement({ end }) {
    if (this.#source[end - 1] !== ';' && !this.#ended.has(end)) {
      this.#ended.add(end);
      this.follow(end, ';');
    }
  }

  /** Puts `text` in place of a range, and spaces for the rest of it. */
  replace(start, end, text) {
    this.#add(start, end, text, RANGE);
  }

  /** Puts spaces in place of a range. */
  blank(start, end) {
    this.replace(start, end, '');
  }

  /** Has what fails from `start` to `end` be shown as failing at `target`, where that is on the same line. */
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

  /** The text with all edits made. */
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

/** A text after its edits, and its offsets in terms of the text before. */
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

  /** Where the part now begins that began at `offset` in the source. */
  startOf(offset) {
    return offset + this.#insertedBefore((insertion) => insertion.offset > offset);
  }

  /** Where the part now ends that ended at `offset` in the source. */
  endOf(offset) {
    return offset + this.#insertedBefore((insertion) => insertion.offset >= offset);
  }

  /** The column of the source, from 1, that became `column` of this text. */
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

  /** How much is inserted ahead of the first insertion that `isBeyond` holds for (as for all after it). */
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
