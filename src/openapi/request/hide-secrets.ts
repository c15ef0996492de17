import { replaceCut, replaceEncoded } from './percent-encoding.ts';

/** A secret that is shorter could be anywhere by chance. */
const SHORTEST_SECRET = 6;

/** Stands for what was removed. */
const REMOVED = '(removed)';

/** Results cannot be nested that deeply, and a deeper recursion could exhaust the stack. */
const MAXIMUM_DEPTH = 1000;

interface Secret {
  readonly bytes: Buffer;
  /** How text can have it, besides in percent-encoding. */
  readonly forms: ReadonlySet<string>;
}

/** Removes the secrets of a request from what the service answers, should it send them back. */
export class SecretFilter {
  /** The longest first: a shorter one can be a part of it. */
  readonly #secrets: readonly Secret[];
  /** How JSON can have those that consist of digits, besides in its strings. */
  readonly #numbers: ReadonlySet<number>;

  /** @param secrets - Those of fewer than six characters are not removed. */
  constructor(secrets: readonly string[]) {
    const long = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
    const sorted = [...new Set(long)].sort((one, other) => other.length - one.length);
    this.#secrets = sorted.map((secret) => ({
      bytes: Buffer.from(secret),
      forms: formsOf(secret),
    }));
    this.#numbers = new Set(long.filter((one) => /^\d+$/.test(one)).map(Number));
  }

  /** Text without the secrets as they are, in percent-encoding, and as JSON writes them. */
  text(text: string): string {
    let hidden = text;
    // Results in JSON can have millions of short texts.
    if (text.length < SHORTEST_SECRET) return text;
    for (const { bytes, forms } of this.#secrets) {
      for (const form of forms) hidden = hidden.replaceAll(form, REMOVED);
      hidden = replaceEncoded(hidden, bytes, REMOVED);
    }
    return hidden;
  }

  /** The same for a text that was cut, also without the beginning of a secret at its end. */
  cutText(text: string): string {
    let hidden = this.text(text);
    const how = { replacement: REMOVED, least: SHORTEST_SECRET };
    for (const { forms } of this.#secrets) {
      for (const form of forms) hidden = replaceCut(hidden, Buffer.from(form), how);
    }
    return hidden;
  }

  /**
   * A value of `JSON.parse` without the secrets in its strings, the names of its members and its
   * numbers. Its text cannot be searched instead, because JSON can write each character of a string
   * as an escape.
   */
  value(value: unknown, depth = 0): unknown {
    if (this.#secrets.length === 0) return value;
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
function formsOf(secret: string): ReadonlySet<string> {
  const json = JSON.stringify(secret).slice(1, -1);
  return new Set([secret, json, json.replaceAll('/', String.raw`\/`)]);
}
