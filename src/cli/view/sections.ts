import { escapeControls } from '../../shared/control-characters.ts';
import type { Colors } from '../terminal/terminal.ts';
import { fitAsTheyAre, foldLine } from './columns.ts';

type Style = (text: string) => string;

const same: Style = (text) => text;

/** The start of each line of a block, before a space. */
const BAR = '  │';

/** The number of columns before the text of a block. */
const MARGIN = BAR.length + 1;

/**
 * The smallest width of a block's text. In a narrower terminal, blocks become wider than the
 * terminal.
 */
const MIN_TEXT_COLUMNS = 8;

/** A part of the transcript: paragraphs of text, or a block with a bar at its left. */
type Section = 'none' | 'text' | 'lines' | `block ${string}`;

export interface SectionsOptions {
  readonly write: (text: string) => void;
  readonly colors: Colors;
  /** The terminal's current width in columns; undefined if lines may have any length. */
  readonly columns: () => number | undefined;
}

/**
 * Lays out output that arrives in parts: blocks with a bar, paragraphs, and single lines between
 * them.
 */
export class Sections {
  readonly #write: (text: string) => void;
  readonly #colors: Colors;
  readonly #columns: () => number | undefined;
  #section: Section = 'none';
  #atLineStart = true;
  /** How many columns of a block's last line are used. */
  #used = 0;

  constructor({ write, colors, columns }: SectionsOptions) {
    this.#write = write;
    this.#colors = colors;
    this.#columns = columns;
  }

  /** Adds text without a frame. */
  text(text: string, style: Style = same): void {
    if (text === '') return;
    this.#enter('text');
    const lines = escapeControls(text).split('\n');
    this.#atLineStart = lines.at(-1) === '';
    this.#write(lines.map((line) => styled(line, style)).join('\n'));
  }

  /**
   * Adds text to the block with this title, which continues if it is open. Lines that are too long
   * for the terminal are wrapped in the block.
   */
  block(title: string, text: string, style: Style = same): void {
    if (text === '') return;
    const { dim } = this.#colors;
    if (this.#enter(`block ${title}`)) this.#write(`${dim(`  ╭ ${title}`)}\n`);
    // Written at once, because a program may print only line ends.
    this.#write(this.#boxed(text, style));
  }

  /** Adds a single line, separate from blocks and paragraphs. */
  line(line: string): void {
    this.#enter('lines');
    this.#write(`${line}\n`);
  }

  /** Writes as it is what is not text, and ends a line. */
  raw(sequence: string): void {
    this.#enter('lines');
    this.#write(sequence);
  }

  /** Ends the current section. */
  end(): void {
    this.#enter('none');
  }

  /** Begins a section. Returns whether it is a new one. */
  #enter(section: Section): boolean {
    if (section === this.#section) return false;
    if (!this.#atLineStart) this.#write('\n');
    this.#startLine();
    const wasBlock = this.#section.startsWith('block');
    if (wasBlock) this.#write(`${this.#colors.dim('  ╰')}\n`);
    // Calls come from the program above them, so there is no blank line between.
    const staysClose = wasBlock && section === 'lines';
    if (this.#section !== 'none' && !staysClose) this.#write('\n');
    this.#section = section;
    return true;
  }

  /** The text of a block, with the bar at the start of each row. */
  #boxed(text: string, style: Style): string {
    const bar = this.#colors.dim(BAR);
    const room = Math.max(MIN_TEXT_COLUMNS, (this.#columns() ?? Infinity) - MARGIN);
    const escaped = escapeControls(text);
    const [first = ''] = escaped.split('\n', 1);
    const end = escaped.lastIndexOf('\n');
    if (end === -1) return this.#boxedLine(first, style, bar, room);
    let boxed = this.#boxedLine(first, style, bar, room) || (this.#atLineStart ? bar : '');
    const lines = escaped.slice(first.length + 1, end);
    if (end > first.length) boxed += `\n${this.#boxedLines(lines, style, bar, room)}`;
    this.#startLine();
    return `${boxed}\n${this.#boxedLine(escaped.slice(end + 1), style, bar, room)}`;
  }

  /** Formats complete lines. */
  #boxedLines(lines: string, style: Style, bar: string, room: number): string {
    // A program may print a million short lines at once, too many to handle one by one.
    if (fitAsTheyAre(lines, room)) {
      return lines.replaceAll(/^.+$/gm, `${bar} ${style('$&')}`).replaceAll(/^$/gm, bar);
    }
    const boxed = lines.split('\n').map((line) => {
      this.#startLine();
      return this.#boxedLine(line, style, bar, room) || bar;
    });
    return boxed.join('\n');
  }

  /** Formats a line or its next part, which may be empty. */
  #boxedLine(line: string, style: Style, bar: string, room: number): string {
    if (line === '') return '';
    const begins = this.#atLineStart;
    const { rows, used } = foldLine(line, { room, used: this.#used, start: MARGIN });
    this.#atLineStart = false;
    this.#used = used;
    return rows
      .map((row, at) => (begins || at > 0 ? `${bar} ` : '') + styled(row, style))
      .join('\n');
  }

  #startLine(): void {
    this.#atLineStart = true;
    this.#used = 0;
  }
}

function styled(text: string, style: Style): string {
  return text === '' ? '' : style(text);
}
