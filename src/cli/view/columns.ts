import { eastAsianWidth } from 'get-east-asian-width';
import { splitGraphemes } from 'unicode-segmenter/grapheme';

/** A part of a line, split into rows. */
export interface Fold {
  /** The first row continues the current line. It is empty if nothing more fits there. */
  readonly rows: readonly string[];
  /** How many columns of the last row are used. */
  readonly used: number;
}

export interface FoldOptions {
  /** The number of columns of a row. */
  readonly room: number;
  /** How many columns of the first row are already used. */
  readonly used: number;
  /** The column of the terminal at which rows begin. Tabs depend on it. */
  readonly start: number;
}

const PRINTABLE_ASCII = /^[ -~]*$/;

const PRINTABLE_LINES = /^[ -~\n]*$/;

const TAB_STOP = 8;

/**
 * Characters that combine with others or are invisible. The last range has Korean letters that
 * combine with the one before.
 */
const WITHOUT_WIDTH =
  /[\p{Nonspacing_Mark}\p{Enclosing_Mark}\p{Default_Ignorable_Code_Point}\p{Control}\p{Surrogate}\u1160-\u11ff]/u;

/** Requests the coloured emoji form, which takes two columns. */
const EMOJI_VARIANT = '\ufe0f';

const EMOJI_WIDTH = 2;

/** Whether each line has one column per character and fits the columns. */
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
 * Splits text without line ends into rows that fit, between grapheme clusters. `Intl.Segmenter`
 * would find these too, but on Node 20 its time grows with the square of the text's length.
 */
export function foldLine(text: string, options: FoldOptions): Fold {
  const { room, start } = options;
  if (room === Infinity) return { rows: [text], used: 0 };
  if (PRINTABLE_ASCII.test(text)) return foldAscii(text, options);
  const rows: string[] = [];
  let { used } = options;
  let rowStart = 0;
  let at = 0;
  for (const character of splitGraphemes(text)) {
    let width = widthOf(character, start + used);
    if (width > 0 && used + width > room) {
      rows.push(text.slice(rowStart, at));
      rowStart = at;
      used = 0;
      width = widthOf(character, start);
    }
    at += character.length;
    used += width;
  }
  return { rows: [...rows, text.slice(rowStart)], used };
}

function foldAscii(text: string, { room, used }: FoldOptions): Fold {
  const first = Math.max(0, room - used);
  const rows = [text.slice(0, first)];
  for (let at = first; at < text.length; at += room) rows.push(text.slice(at, at + room));
  const last = rows.at(-1)?.length ?? 0;
  return { rows, used: rows.length === 1 ? used + last : last };
}

/**
 * The most columns that a character takes on a terminal at this column. Terminals differ for emoji
 * of several code points: some draw one picture, others one for each code point.
 */
function widthOf(character: string, column: number): number {
  if (character === '\t') return TAB_STOP - (column % TAB_STOP);
  if (PRINTABLE_ASCII.test(character)) return character.length;
  let width = 0;
  for (const codePoint of character) {
    if (!WITHOUT_WIDTH.test(codePoint)) width += eastAsianWidth(codePoint.codePointAt(0) ?? 0);
  }
  return character.includes(EMOJI_VARIANT) ? Math.max(width, EMOJI_WIDTH) : width;
}

/** How many columns a line takes from column 0. Stops counting beyond `most`. */
export function countColumns(line: string, most: number): number {
  let used = 0;
  for (const character of splitGraphemes(line)) {
    used += widthOf(character, used);
    if (used > most) break;
  }
  return used;
}

/**
 * One line of text with exactly this many columns: cut off with an ellipsis, or padded with spaces.
 */
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
