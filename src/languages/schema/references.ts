import { isRecord } from '../../shared/guards.ts';
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import { elements, lookUp } from './json-schema.ts';

/** A list of more values than this gets a name if it is used more than once. */
const SHORT_ENUM = 5;

/**
 * How the references of one schema document are connected: which are recursive, and which should
 * have a name.
 */
export class References {
  readonly #root: JsonObject;
  readonly #counts: Map<string, number> = new Map();
  readonly #targets: Map<string, readonly string[]> = new Map();
  readonly #named: Map<string, boolean> = new Map();
  readonly #fingerprints: Map<string, string> = new Map();

  constructor(root: JsonObject) {
    this.#root = root;
    for (const reference of referencesIn(root)) {
      this.#counts.set(reference, (this.#counts.get(reference) ?? 0) + 1);
    }
  }

  /**
   * Whether a reference's target is written once under a name: it is recursive, or long and used
   * more than once.
   */
  isNamed(reference: string): boolean {
    let isNamed = this.#named.get(reference);
    if (isNamed === undefined) {
      isNamed =
        this.reachable(reference).has(reference) ||
        ((this.#counts.get(reference) ?? 0) > 1 && isLong(lookUp(reference, this.#root)));
      this.#named.set(reference, isNamed);
    }
    return isNamed;
  }

  /** All references that a reference leads to, including itself only if it is recursive. */
  reachable(reference: string): ReadonlySet<string> {
    return closure(reference, (next) => {
      const known = this.#targets.get(next);
      if (known !== undefined) return known;
      const found = [...new Set(referencesIn(lookUp(next, this.#root)))];
      this.#targets.set(next, found);
      return found;
    });
  }

  /**
   * A text that is equal for references of the same name, in any document, that lead to the same
   * types.
   */
  fingerprint(reference: string): string {
    const known = this.#fingerprints.get(reference);
    if (known !== undefined) return known;
    const hash = createHash('sha256').update(JSON.stringify(reference));
    const reached = new Set([...this.reachable(reference), reference]);
    for (const each of [...reached].sort()) {
      hash.update(JSON.stringify([each, lookUp(each, this.#root)]));
    }
    const fingerprint = hash.digest('base64');
    this.#fingerprints.set(reference, fingerprint);
    return fingerprint;
  }

  /**
   * Whether a reference leads back to itself without a property or an element in between: no value
   * can show what it is.
   */
  isEmptyCircle(reference: string): boolean {
    const around = closure(reference, (next) => directReferences(lookUp(next, this.#root)));
    return around.has(reference);
  }
}

function closure(start: string, follow: (reference: string) => readonly string[]): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const reference of follow(next)) {
      if (reached.has(reference)) continue;
      reached.add(reference);
      open.push(reference);
    }
  }
  return reached;
}

function isLong(target: JsonValue): boolean {
  if (!isRecord(target)) return false;
  return (
    isRecord(target['properties']) ||
    ['anyOf', 'oneOf', 'allOf'].some((keyword) => Array.isArray(target[keyword])) ||
    elements(target['enum']).length > SHORT_ENUM
  );
}

function referencesIn(value: JsonValue): string[] {
  const found: string[] = [];
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const { $ref: reference } = next as JsonObject;
    if (typeof reference === 'string') found.push(reference);
    // Not spread: a list of values can have more elements than a call can have arguments.
    for (const inside of Object.values(next)) open.push(inside);
  }
  return found;
}

function directReferences(value: JsonValue): string[] {
  const found: string[] = [];
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isRecord(next)) continue;
    if (typeof next['$ref'] === 'string') found.push(next['$ref']);
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) open.push(...elements(next[keyword]));
  }
  return found;
}
