import { escapeControls } from '../../shared/control-characters.ts';
import type { Colors } from '../terminal.ts';

type Style = (text: string) => string;

const same: Style = (text) => text;

/** A stretch of the transcript: paragraphs of text, or a block with a bar at its left. */
type Section = 'none' | 'text' | 'lines' | `block ${string}`;

/** Lays out what comes in pieces: blocks with a bar, paragraphs, and single lines in between. */
export class Sections {
  readonly #write: (text: string) => void;
  readonly #colors: Colors;
  #section: Section = 'none';
  #atLineStart = true;

  constructor(write: (text: string) => void, colors: Colors) {
    this.#write = write;
    this.#colors = colors;
  }

  /** Text without a frame, as it comes. */
  text(text: string, style: Style = same): void {
    if (text === '') return;
    this.#enter('text');
    this.#put('', text, style);
  }

  /** Text in the block of this title, which goes on where it is open already. */
  block(title: string, text: string, style: Style = same): void {
    if (text === '') return;
    const { dim } = this.#colors;
    if (this.#enter(`block ${title}`)) this.#write(`${dim(`  ╭ ${title}`)}\n`);
    this.#put(dim('  │'), text, style);
  }

  /** One line of its own, which keeps apart from blocks and paragraphs. */
  line(line: string): void {
    this.#enter('lines');
    this.#write(`${line}\n`);
  }

  /** Ends whatever is open. */
  end(): void {
    this.#enter('none');
  }

  /** Begins a section, and says whether it is a new one. */
  #enter(section: Section): boolean {
    if (section === this.#section) return false;
    if (!this.#atLineStart) this.#write('\n');
    this.#atLineStart = true;
    const wasBlock = this.#section.startsWith('block');
    if (wasBlock) this.#write(`${this.#colors.dim('  ╰')}\n`);
    // Calls come from the code above them, so they stay close to it.
    const staysClose = wasBlock && section === 'lines';
    if (this.#section !== 'none' && !staysClose) this.#write('\n');
    this.#section = section;
    return true;
  }

  /** Writes the text, with the bar at the start of each line. */
  #put(bar: string, text: string, style: Style): void {
    const lines = escapeControls(text).split('\n');
    const isFirstStart = this.#atLineStart;
    this.#atLineStart = lines.at(-1) === '';
    const shown = lines.map((line, index) => {
      // After the last line end, no line has begun.
      if (line === '' && index === lines.length - 1) return '';
      const gap = bar === '' || line === '' ? '' : ' ';
      const start = index > 0 || isFirstStart ? bar + gap : '';
      return start + (line === '' ? '' : style(line));
    });
    // At once, for a program may print nothing but line ends.
    this.#write(shown.join('\n'));
  }
}
