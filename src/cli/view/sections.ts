import type { Colors } from '../terminal.ts';
import { escapeControls } from '../terminal.ts';

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
    for (const part of escapeControls(text).split(/(?<=\n)/)) {
      const line = part.replace(/\n$/, '');
      const gap = bar === '' || line === '' ? '' : ' ';
      const start = this.#atLineStart ? bar + gap : '';
      this.#atLineStart = part.endsWith('\n');
      this.#write(start + (line === '' ? '' : style(line)) + (this.#atLineStart ? '\n' : ''));
    }
  }
}
