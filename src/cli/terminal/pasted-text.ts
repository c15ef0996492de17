import { escapeControls } from '../../shared/control-characters.ts';
import { formatCount } from '../view/format.ts';

/** In bracketed paste mode, a terminal sends pasted text between these two sequences. */
const START = '\u001b[200~';
const END = '\u001b[201~';

const CTRL_C = '\u0003';

const MARK = /\[paste \d+, [\d,]+ (?:lines|characters)\]/g;

/**
 * The longest paste that is shown as text: a line editor redraws the whole line for each row that
 * it grows by.
 */
const MAX_SHOWN_LENGTH = 1000;

/**
 * Finds pastes in the input of a terminal. A short paste of one line is passed on as if it were
 * typed. The line editor cannot show other pastes, so they are kept here, and a mark such as
 * `[paste 1, 12 lines]` is passed on instead.
 */
export class PastedText {
  readonly #pastes: Map<string, string> = new Map();
  /**
   * Input that cannot be passed on yet: an incomplete paste, or what may be the start of `START`.
   */
  #rest = '';
  #pasting = false;
  /** The position in `#rest` before which there is no `END`. */
  #searched = 0;

  /**
   * Takes the next input of the terminal, which may be split anywhere, and returns the input for
   * the line editor.
   */
  take(text: string): string {
    if (this.#pasting && text === CTRL_C) {
      // Ends a paste whose `END` was lost; otherwise, it would take all further input.
      this.#pasting = false;
      this.#rest = '';
    }
    this.#rest += text;
    let typed = '';
    for (;;) {
      const boundary = this.#pasting ? END : START;
      const at = this.#rest.indexOf(boundary, this.#searched);
      this.#searched = 0;
      if (at === -1) break;
      const before = this.#rest.slice(0, at);
      typed += this.#pasting ? this.#keep(before) : before;
      this.#rest = this.#rest.slice(at + boundary.length);
      this.#pasting = !this.#pasting;
    }
    if (!this.#pasting) return typed + this.#release(this.#rest.length - startLength(this.#rest));
    this.#searched = Math.max(0, this.#rest.length - END.length);
    return typed;
  }

  /** Whether input waits that may not be the start of a paste, such as the Escape key. */
  get isUncertain(): boolean {
    return !this.#pasting && this.#rest !== '';
  }

  /** Returns that input. */
  settle(): string {
    return this.isUncertain ? this.#release(this.#rest.length) : '';
  }

  /** Replaces the marks in a line by the pasted text. */
  expand(line: string): string {
    return line.replaceAll(MARK, (mark) => this.#pastes.get(mark) ?? mark);
  }

  /**
   * The mark whose last character is missing at the end of the text; undefined if there is none.
   */
  cutMark(text: string): string | undefined {
    return [...this.#pastes.keys()].find((mark) => text.endsWith(mark.slice(0, -1)));
  }

  #release(length: number): string {
    const released = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return released;
  }

  #keep(raw: string): string {
    // Terminals send Enter for a line end. The last one must not send the message.
    const text = raw.replaceAll(/\r\n?/g, '\n').replace(/\n+$/, '');
    const lines = text.split('\n').length;
    const isShown = lines === 1 && text.length <= MAX_SHOWN_LENGTH && escapeControls(text) === text;
    if (isShown) return text;
    const size =
      lines > 1 ? `${formatCount(lines)} lines` : `${formatCount(text.length)} characters`;
    const mark = `[paste ${this.#pastes.size + 1}, ${size}]`;
    this.#pastes.set(mark, text);
    return mark;
  }
}

/** The length of the start of `START` with which the text ends. */
function startLength(text: string): number {
  for (let length = START.length - 1; length > 0; length -= 1) {
    if (text.endsWith(START.slice(0, length))) return length;
  }
  return 0;
}
