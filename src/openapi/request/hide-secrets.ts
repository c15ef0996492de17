import { decodePercent } from './percent-encoding.ts';
import { addRange, TextSearch, type Found, type Range } from './text-search.ts';

/** A secret that is shorter could be anywhere by chance. */
const SHORTEST_SECRET = 6;

/** Stands for what was removed. */
const REMOVED = '(removed)';

/** Results cannot be nested that deeply, and a deeper recursion could exhaust the stack. */
const MAXIMUM_DEPTH = 1000;

/** Where a text that was cut ends within a percent-encoded byte. */
const CUT_ESCAPE = /%[\da-f]?$/i;

/** Removes the secrets of a request from what the service answers, should it send them back. */
export class SecretFilter {
  /** For the texts of which each is a secret, in any of its forms. */
  readonly #search: TextSearch;
  /** How JSON can have those that consist of digits, besides in its strings. */
  readonly #numbers: ReadonlySet<number>;
  readonly #isEmpty: boolean;

  /** @param secrets - Those of fewer than six characters are not removed. */
  constructor(secrets: readonly string[]) {
    const long = [...new Set(secrets.filter(({ length }) => length >= SHORTEST_SECRET))];
    this.#isEmpty = long.length === 0;
    this.#search = new TextSearch(long.flatMap(formsOf));
    this.#numbers = new Set(long.filter((one) => /^\d+$/.test(one)).map(Number));
  }

  /** Text without the secrets as they are, in percent-encoding, and as JSON writes them. */
  text(text: string): string {
    return this.#hide(text, { isCut: false });
  }

  /**
   * The same for a text that was cut, also without the beginning of a secret at its end. A shorter one
   * than six bytes stays: it could be there by chance.
   */
  cutText(text: string): string {
    return this.#hide(text, { isCut: true });
  }

  /**
   * A value of `JSON.parse` without the secrets in its strings, the names of its members and its
   * numbers. Its text cannot be searched instead, because JSON can write each character of a string
   * as an escape.
   */
  value(value: unknown, depth = 0): unknown {
    if (this.#isEmpty) return value;
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.#numbers.has(value) ? REMOVED : value;
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MAXIMUM_DEPTH) return REMOVED;
    if (Array.isArray(value)) return value.map((element) => this.value(element, depth + 1));
    const members = Object.entries(value).map(
      ([name, member]) => [this.text(name), this.value(member, depth + 1)] as const,
    );
    return Object.fromEntries(members);
  }

  #hide(text: string, { isCut }: { readonly isCut: boolean }): string {
    // Results in JSON can have millions of short texts.
    if (this.#isEmpty || text.length < SHORTEST_SECRET) return text;
    const bytes = Buffer.from(text);
    let { ranges, beginning } = this.#search.find(bytes);
    if (/[%+]/.test(text)) {
      const { length } = (isCut && CUT_ESCAPE.exec(text)?.[0]) || '';
      const encoded = this.#findEncoded(bytes.subarray(0, bytes.length - length));
      ranges = joined(ranges, encoded.ranges);
      beginning = Math.min(beginning, encoded.beginning);
    }
    if (isCut && bytes.length - beginning >= SHORTEST_SECRET) {
      ranges = joined(ranges, [{ start: beginning, end: bytes.length }]);
    }
    return ranges.length === 0 ? text : without(bytes, ranges);
  }

  #findEncoded(text: Uint8Array): Found {
    const { bytes, starts } = decodePercent(text);
    const { ranges, beginning } = this.#search.find(bytes);
    const place = (at: number): number => starts[at] ?? text.length;
    return {
      ranges: ranges.map(({ start, end }) => ({ start: place(start), end: place(end) })),
      beginning: place(beginning),
    };
  }
}

/** The ranges of both, in order. What overlaps becomes one. */
function joined(ranges: readonly Range[], others: readonly Range[]): readonly Range[] {
  if (others.length === 0) return ranges;
  const all: Range[] = [];
  const sorted = [...ranges, ...others].sort((one, other) => one.end - other.end);
  for (const range of sorted) addRange(all, range);
  return all;
}

function without(text: Buffer, ranges: readonly Range[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of ranges) {
    parts.push(text.toString('utf8', from, start), REMOVED);
    from = end;
  }
  return `${parts.join('')}${text.toString('utf8', from)}`;
}

/**
 * The bytes by which a secret is recognized, also in a text that was decoded. A `+` may have become a
 * space there, and what looks like percent-encoding in the secret itself may have been left as it is,
 * and so be decoded once too often.
 */
function formsOf(secret: string): readonly Uint8Array[] {
  const json = JSON.stringify(secret).slice(1, -1);
  // Some services write `/` in JSON as `\/`.
  const written = new Set([secret, json, json.replaceAll('/', String.raw`\/`)]);
  const forms = [...written].flatMap((one) => [
    Buffer.from(one),
    Buffer.from(one.replaceAll('+', ' ')),
    decodePercent(Buffer.from(one)).bytes,
  ]);
  return forms.filter(({ length }) => length >= SHORTEST_SECRET);
}
