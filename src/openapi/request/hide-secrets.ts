import { replaceEncoded } from './percent-encoding.ts';

/** A secret that is shorter could be anywhere by chance. */
const SHORTEST_SECRET = 6;

/** Stands for what was removed. */
const REMOVED = '(removed)';

/** Results cannot be nested that deeply, and a deeper recursion could exhaust the stack. */
const MAXIMUM_DEPTH = 1000;

/** Removes the secrets of a request from what the service answers, should it send them back. */
export class SecretFilter {
  readonly #secrets: readonly string[];
  /** How text can have them, besides in percent-encoding. */
  readonly #forms: readonly string[];
  /** How JSON can have those that consist of digits, besides in its strings. */
  readonly #numbers: ReadonlySet<number>;

  /** @param secrets - Those of fewer than six characters are not removed. */
  constructor(secrets: readonly string[]) {
    const long = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
    this.#secrets = [...new Set(long)];
    this.#forms = [...new Set(this.#secrets.flatMap(formsOf))];
    this.#numbers = new Set(long.filter((one) => /^\d+$/.test(one)).map(Number));
  }

  /** Text without the secrets as they are, in percent-encoding, and as JSON writes them. */
  text(text: string): string {
    let hidden = text;
    for (const form of this.#forms) hidden = hidden.replaceAll(form, REMOVED);
    for (const secret of this.#secrets) hidden = replaceEncoded(hidden, secret, REMOVED);
    return hidden;
  }

  /**
   * A value of `JSON.parse` without the secrets in its strings, the names of its members and its
   * numbers. Its text cannot be searched instead, because JSON can write each character of a string
   * as an escape.
   */
  value(value: unknown, depth = 0): unknown {
    if (this.#forms.length === 0) return value;
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
}

/** Some services write `/` in JSON as `\/`. */
function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return [secret, json, json.replaceAll('/', String.raw`\/`)];
}
