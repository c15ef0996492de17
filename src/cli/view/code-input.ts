const START = /"code"\s*:\s*"/;

/** Characters of two UTF-16 units, which are two escapes in JSON. */
const FIRST_HALF = /[\ud800-\udbff]/;
const SECOND_HALF = /[\udc00-\udfff]/;
const FIRST_HALF_ESCAPE = /^\\ud[89ab]/i;

/**
 * How much of the text before the program is kept, because the program's start may be incomplete.
 */
const START_LENGTH = 256;

/** Extracts the program from the JSON text that a model writes, while it arrives. */
export class CodeInput {
  /**
   * The part that could not be decoded yet: at most a part of a character after the program has
   * begun.
   */
  #rest = '';
  #state: 'before' | 'inside' | 'after' = 'before';

  /**
   * Takes the next part of the JSON text and returns what it adds to the program. The time does not
   * depend on earlier parts.
   */
  add(json: string): string {
    if (this.#state === 'after') return '';
    this.#rest += json;
    if (this.#state === 'before') {
      const start = START.exec(this.#rest);
      if (start === null) {
        this.#rest = this.#rest.slice(-START_LENGTH);
        return '';
      }
      this.#rest = this.#rest.slice(start.index + start[0].length);
      this.#state = 'inside';
    }
    const end = decodableLength(this.#rest);
    const raw = this.#rest.slice(0, end);
    if (this.#rest[end] === '"') this.#state = 'after';
    this.#rest = this.#rest.slice(end);
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      // It is not JSON, so the program is shown when it starts.
      return '';
    }
  }
}

/** How far a string can be decoded: to its end, or to an incomplete escape or character. */
function decodableLength(text: string): number {
  let at = 0;
  while (at < text.length && text[at] !== '"') {
    const length = text[at] === '\\' ? escapeLength(text, at) : characterLength(text, at);
    if (at + length > text.length) break;
    at += length;
  }
  return at;
}

function escapeLength(text: string, at: number): number {
  if (text[at + 1] !== 'u') return 2;
  const beforeSecond = text.slice(at + 6, at + 8);
  const isHalf = FIRST_HALF_ESCAPE.test(text.slice(at, at + 4)) && '\\u'.startsWith(beforeSecond);
  return isHalf ? 12 : 6;
}

function characterLength(text: string, at: number): number {
  const isHalf = FIRST_HALF.test(text.charAt(at));
  return isHalf && (at + 1 === text.length || SECOND_HALF.test(text.charAt(at + 1))) ? 2 : 1;
}
