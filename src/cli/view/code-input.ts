const START = /"code"\s*:\s*"/;

/** Kept of what comes before the program, in which its start may still be incomplete. */
const START_LENGTH = 256;

/** Reads the program out of the JSON in which a model writes it, while that is still coming. */
export class CodeInput {
  /** What could not be read yet: at most a piece of an escape, once the program has begun. */
  #rest = '';
  #state: 'before' | 'inside' | 'after' = 'before';

  /** Takes a piece of the JSON and gives what it adds to the program. Takes time for that piece alone. */
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
      // No JSON after all: the program is shown when it starts.
      return '';
    }
  }
}

/** How far a string goes: to where it ends, or to a piece of an escape that is still incomplete. */
function decodableLength(text: string): number {
  let at = 0;
  while (at < text.length && text[at] !== '"') {
    const length = text[at] !== '\\' ? 1 : text[at + 1] === 'u' ? 6 : 2;
    if (at + length > text.length) break;
    at += length;
  }
  return at;
}
