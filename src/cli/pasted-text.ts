import { escapeControls } from '../shared/control-characters.ts';
import { formatCount } from './view/format.ts';

/** Between these a terminal sends what is pasted, once it is asked to tell pasted from typed text. */
const START = '\u001b[200~';
const END = '\u001b[201~';

const CTRL_C = '\u0003';

const MARK = /\[paste \d+, [\d,]+ (?:lines|characters)\]/g;

/** Longest paste that is shown itself: a line editor draws all of a line again for each row that it grows by. */
const MOST_SHOWN = 1000;

/**
 * Finds pastes in what a terminal sends. A short one of a single line is passed on as if it were typed. Any other, which
 * a line editor cannot show, is kept here, and a mark such as `[paste 1, 12 lines]` is passed on in its place.
 */
export class PastedText {
  readonly #pastes: Map<string, string> = new Map();
  /** What cannot be passed on yet: a paste so far, or what may be a piece of `START`. */
  #rest = '';
  #pasting = false;
  /** Up to where `#rest` has no `END`. */
  #searched = 0;

  /** Takes what the terminal sends next, cut anywhere, and gives what the line editor is to have. */
  take(text: string): string {
    if (this.#pasting && text === CTRL_C) {
      // Gives up a paste whose end was lost, which would take all further keys with it.
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

  /** Whether something waits that may not be the start of a paste, such as the key Escape. */
  get isUncertain(): boolean {
    return !this.#pasting && this.#rest !== '';
  }

  /** Gives what waits in that way. */
  settle(): string {
    return this.isUncertain ? this.#release(this.#rest.length) : '';
  }

  /** A line with the pasted text in the place of its marks. */
  expand(line: string): string {
    return line.replaceAll(MARK, (mark) => this.#pastes.get(mark) ?? mark);
  }

  /** The mark whose last character is missing at the end of the text; undefined if there is none. */
  cutMark(text: string): string | undefined {
    return [...this.#pastes.keys()].find((mark) => text.endsWith(mark.slice(0, -1)));
  }

  #release(length: number): string {
    const released = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return released;
  }

  #keep(raw: string): string {
    // Terminals send the key Enter for a line end. The last one must not send the message.
    const text = raw.replaceAll(/\r\n?/g, '\n').replace(/\n+$/, '');
    const lines = text.split('\n').length;
    const isShown = lines === 1 && text.length <= MOST_SHOWN && escapeControls(text) === text;
    if (isShown) return text;
    const size =
      lines > 1 ? `${formatCount(lines)} lines` : `${formatCount(text.length)} characters`;
    const mark = `[paste ${this.#pastes.size + 1}, ${size}]`;
    this.#pastes.set(mark, text);
    return mark;
  }
}

/** How long the piece of `START` is that the text ends with. */
function startLength(text: string): number {
  for (let length = START.length - 1; length > 0; length -= 1) {
    if (text.endsWith(START.slice(0, length))) return length;
  }
  return 0;
}
