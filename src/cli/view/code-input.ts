const START = /"code"\s*:\s*"/;

/** The string up to where it ends, or up to a piece of an escape that is still incomplete. */
const DECODABLE = /^(?:[^"\\]|\\u[\da-fA-F]{4}|\\[^u])*/;

/** Reads the program out of the JSON in which a model writes it, while that is still coming. */
export class CodeInput {
  #json = '';
  #at: number | undefined;

  /** Takes a piece of the JSON and gives what it adds to the program. */
  add(json: string): string {
    this.#json += json;
    if (this.#at === undefined) {
      const start = START.exec(this.#json);
      if (start === null) return '';
      this.#at = start.index + start[0].length;
    }
    const raw = DECODABLE.exec(this.#json.slice(this.#at))?.[0] ?? '';
    this.#at += raw.length;
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      // No JSON after all: the program is shown when it starts.
      return '';
    }
  }
}
