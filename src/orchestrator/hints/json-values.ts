/** Shorter words in a text are not looked at: they are in too many texts. */
const SHORTEST_ID = 4;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const END = -1;

/**
 * Reads the texts and numbers in a JSON text, which `JSON.stringify` has written, as digests (FNV-1a).
 * Of a text, the words with a digit are values too: ids have one, and a path can contain them. Two
 * values with the same digest are hardly ever different. It goes through the characters one by one,
 * because it sees the results of every program: regular expressions take ten times as long.
 */
export class JsonValues {
  readonly #json: string;
  readonly #withNames: boolean;
  readonly #tell: (digest: number) => void;
  #at = 0;

  /** @param withNames - Whether the names of members are values too. */
  constructor(json: string, withNames: boolean, tell: (digest: number) => void) {
    this.#json = json;
    this.#withNames = withNames;
    this.#tell = tell;
  }

  /** Tells all values. */
  read(): void {
    for (let code = this.#next(); code !== END; code = this.#next()) {
      if (code === QUOTE) this.#readText();
      else if (isDigit(code) || code === 0x2d) this.#readNumber(code);
    }
  }

  #next(): number {
    if (this.#at >= this.#json.length) return END;
    const code = this.#json.charCodeAt(this.#at);
    this.#at += 1;
    return code;
  }

  #readNumber(first: number): void {
    let digest = START;
    for (let code = first; isOfNumber(code); code = this.#next()) digest = add(digest, code);
    // The character after it has no meaning here: it is a comma, or ends a list or an object.
    this.#tell(digest);
  }

  #readText(): void {
    const words: number[] = [];
    const start = this.#at;
    let whole = START;
    let word = START;
    let wordStart = start;
    let hasDigit = false;
    let code = this.#next();
    for (; code !== QUOTE && code !== END; code = this.#next()) {
      whole = add(whole, code);
      if (isOfWord(code)) {
        word = add(word, code);
        hasDigit ||= isDigit(code);
        continue;
      }
      if (hasDigit && this.#at - 1 - wordStart >= SHORTEST_ID) words.push(word);
      // A quote that follows a backslash does not end the text.
      if (code === BACKSLASH) whole = add(whole, this.#next());
      word = START;
      wordStart = this.#at;
      hasDigit = false;
    }
    const end = this.#at - 1;
    if (hasDigit && wordStart > start && end - wordStart >= SHORTEST_ID) words.push(word);
    const isName = this.#json.charCodeAt(this.#at) === COLON;
    if (end === start || (isName && !this.#withNames)) return;
    this.#tell(whole);
    for (const digest of words) this.#tell(digest);
  }
}

const START = 0x81_1c_9d_c5;

function add(digest: number, code: number): number {
  return Math.imul(digest ^ code, 0x01_00_01_93);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Digits, `-`, `+`, `.`, `e` and `E`. */
function isOfNumber(code: number): boolean {
  return (
    isDigit(code) ||
    (code >= 0x2b && code <= 0x2e && code !== 0x2c) ||
    code === 0x65 ||
    code === 0x45
  );
}

/** Letters of ASCII, digits, `-` and `_`. */
function isOfWord(code: number): boolean {
  const lower = code | 0x20;
  return isDigit(code) || (lower >= 0x61 && lower <= 0x7a) || code === 0x2d || code === 0x5f;
}
