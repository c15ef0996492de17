/** Splits a stream of text into lines of limited length. */
export class Lines {
  readonly #maxLength: number;
  #parts: string[] = [];
  #length = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /**
   * @returns the complete lines; undefined if one is too long, after which no more text is
   * accepted.
   */
  add(text: string): readonly string[] | undefined {
    const [first = '', ...others] = text.split('\n');
    this.#push(first);
    const lines: string[] = [];
    for (const other of others) {
      lines.push(this.#parts.join(''));
      this.#parts = [];
      if (this.#length > this.#maxLength) break;
      this.#length = 0;
      this.#push(other);
    }
    return this.#length > this.#maxLength ? undefined : lines;
  }

  #push(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }
}
