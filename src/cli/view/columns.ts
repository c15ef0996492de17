import { eastAsianWidth } from 'get-east-asian-width';
import { splitGraphemes } from 'unicode-segmenter/grapheme';

/** A piece of a line, cut into rows. */
export interface Fold {
  /** The first row goes on where the line was; it is empty if nothing more fits there. */
  readonly rows: readonly string[];
  /** Columns of the last row that are taken. */
  readonly used: number;
}

export interface FoldOptions {
  /** Columns of a row. */
  readonly room: number;
  /** Columns of the first row that are taken already. */
  readonly used: number;
  /** The column of the terminal at which rows begin, which tabs depend on. */
  readonly start: number;
}

const PRINTABLE_ASCII = /^[ -~]*$/;

const PRINTABLE_LINES = /^[ -~\n]*$/;

const TAB_STOP = 8;

/** Characters that are shown on top of others, or not at all. The last range is of Korean letters that join the one before. */
const WITHOUT_WIDTH =
  /[\p{Nonspacing_Mark}\p{Enclosing_Mark}\p{Default_Ignorable_Code_Point}\p{Control}\p{Surrogate}\u1160-\u11ff]/u;

/** Asks for a picture in colours, which takes two columns. */
const EMOJI_VARIANT = '\ufe0f';

const EMOJI_WIDTH = 2;

/** Whether each line takes as many columns as it has characters, and no more than these. */
export function fitAsTheyAre(lines: string, columns: number): boolean {
  if (!PRINTABLE_LINES.test(lines)) return false;
  let start = 0;
  for (let end = 0; end !== -1; start = end + 1) {
    end = lines.indexOf('\n', start);
    if ((end === -1 ? lines.length : end) - start > columns) return false;
  }
  return true;
}

/**
 * Cuts text without line ends into rows that fit, between characters as a reader sees them. `Intl.Segmenter` would give them
 * too, but on Node 20 takes a time that grows with the square of the text.
 */
export function foldLine(text: string, options: FoldOptions): Fold {
  const { room, start } = options;
  if (room === Infinity) return { rows: [text], used: 0 };
  if (PRINTABLE_ASCII.test(text)) return foldAscii(text, options);
  const rows: string[] = [];
  let row = '';
  let { used } = options;
  for (const character of splitGraphemes(text)) {
    let width = widthOf(character, start + used);
    if (width > 0 && used + width > room) {
      rows.push(row);
      row = '';
      used = 0;
      width = widthOf(character, start);
    }
    row += character;
    used += width;
  }
  return { rows: [...rows, row], used };
}

function foldAscii(text: string, { room, used }: FoldOptions): Fold {
  const first = Math.max(0, room - used);
  const rows = [text.slice(0, first)];
  for (let at = first; at < text.length; at += room) rows.push(text.slice(at, at + room));
  const last = rows.at(-1)?.length ?? 0;
  return { rows, used: rows.length === 1 ? used + last : last };
}

/**
 * The most columns that a character takes on a terminal, if it stands at this column. Terminals differ for emoji of several
 * code points: some draw one picture, others each of them.
 */
function widthOf(character: string, column: number): number {
  if (character === '\t') return TAB_STOP - (column % TAB_STOP);
  let width = 0;
  for (const codePoint of character) {
    if (!WITHOUT_WIDTH.test(codePoint)) width += eastAsianWidth(codePoint.codePointAt(0) ?? 0);
  }
  return character.includes(EMOJI_VARIANT) ? Math.max(width, EMOJI_WIDTH) : width;
}

/** One line of text in just so many columns: cut with an ellipsis, or filled up with spaces. */
export function fitColumns(text: string, columns: number): string {
  let row = '';
  let used = 0;
  /** The longest start that leaves a column for the ellipsis. */
  let cut = { text: '', used: 0 };
  for (const character of splitGraphemes(text)) {
    used += widthOf(character, used);
    if (used > columns) return `${cut.text}…${' '.repeat(Math.max(0, columns - 1 - cut.used))}`;
    row += character;
    if (used < columns) cut = { text: row, used };
  }
  return row + ' '.repeat(columns - used);
}
