import { formatPath } from './json.ts';
import type { JsonValue } from './json.ts';

/** Parsed JSON whose objects have no prototype, or why it is refused. */
export type BareJson<Value extends JsonValue> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string };

/** Of a name or a text in a reason, at most this many characters. */
const SHOWN_LENGTH = 60;

/**
 * Makes parsed JSON from a stranger safe to hand on. Its objects lose their prototype, so a property that was
 * not sent is not there, whether its name is `constructor` or `toString`. Refused are a key `__proto__`, because
 * copying it with `Object.assign` or a deep merge would change a prototype; a number that overflowed to infinity,
 * which JSON cannot carry on; and half of a surrogate pair, which no other encoding can carry.
 * @param value - Is changed in place, which takes a third of the time of a copy. At most as deep as the stack
 * allows: bound it before.
 */
export function toBareJson<Value extends JsonValue>(value: Value): BareJson<Value> {
  const problem = strip(value);
  if (problem === undefined) return { ok: true, value };
  const where = formatPath(problem.path.toReversed());
  return { ok: false, reason: where === '' ? problem.text : `${where}: ${problem.text}` };
}

interface Problem {
  readonly text: string;
  /** The way to it, from within. */
  readonly path: (string | number)[];
}

const FORBIDDEN_KEY = 'a key __proto__ is not taken; give it another name';
const BROKEN_KEY = `a key ${brokenText()}`;

/** Takes the prototypes away, down to the first problem. */
function strip(value: unknown): Problem | undefined {
  if (typeof value === 'string') {
    return value.isWellFormed() ? undefined : { text: `the text ${brokenText()}`, path: [] };
  }
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : infinite();
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? stripList(value) : stripObject(value as Record<string, unknown>);
}

function stripList(list: readonly unknown[]): Problem | undefined {
  for (let index = 0; index < list.length; index += 1) {
    const problem = strip(list[index]);
    if (problem !== undefined) return at(problem, index);
  }
  return undefined;
}

function stripObject(object: Record<string, unknown>): Problem | undefined {
  Object.setPrototypeOf(object, null);
  // Without a prototype, these are its own keys.
  // oxlint-disable-next-line guard-for-in
  for (const key in object) {
    if (key === '__proto__') return { text: FORBIDDEN_KEY, path: [key] };
    if (!key.isWellFormed()) return { text: BROKEN_KEY, path: [] };
    const problem = strip(object[key]);
    if (problem !== undefined) return at(problem, key);
  }
  return undefined;
}

function at({ text, path }: Problem, key: string | number): Problem {
  path.push(typeof key === 'string' ? key.slice(0, SHOWN_LENGTH) : key);
  return { text, path };
}

function infinite(): Problem {
  return { text: 'the number is too large for JSON; send it as text', path: [] };
}

function brokenText(): string {
  return 'has half of a surrogate pair (U+D800 to U+DFFF), which is not a character; remove or replace it';
}
