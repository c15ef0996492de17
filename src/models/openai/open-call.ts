import type { JsonObject } from '../../shared/json/json.ts';

/** A tool call that is not complete yet. */
export class OpenCall {
  readonly id: string;
  readonly name: string;
  /** What the service wants back with the call. Undefined if it did not send it. */
  extra: JsonObject | undefined;
  readonly #json: string[] = [];
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isWhole = false;

  constructor(id: string, name: string) {
    this.id = id;
    this.name = name;
  }

  get json(): string {
    return this.#json.join('');
  }

  /** Whether its JSON object has ended, so that more text belongs to another call. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Reads each character once: an answer may come in very many pieces. */
  add(json: string): void {
    this.#json.push(json);
    for (const character of json) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === '"') this.#isInText = !this.#isInText;
      else if (this.#isInText) this.#isEscaped = character === '\\';
      else if (character === '{') this.#depth += 1;
      else if (character === '}') {
        this.#depth -= 1;
        this.#isWhole = this.#depth === 0;
      }
    }
  }
}
