import { formatPath } from './json.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** Parsed JSON whose objects have no prototype, or why it is not taken. */
export type BareJson =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly reason: string };

/**
 * Makes of parsed JSON from a stranger what is safe to hand on: its objects inherit nothing, so a
 * property that was not sent is not there, be its name `constructor` or `toString`. A key `__proto__`
 * is refused: whoever copies it with `Object.assign`, or merges it deeply, would change a prototype.
 * @param value - At most as deep as the stack allows: bound it before.
 */
export function toBareJson(value: JsonObject): BareJson {
  const path: (string | number)[] = [];
  const bare = bareObject(value, path);
  if (bare !== undefined) return { ok: true, value: bare };
  const where = formatPath(path.toReversed());
  return { ok: false, reason: `${where}: a key __proto__ is not taken; give it another name` };
}

/** Undefined where there is a forbidden key; `path` then leads to it, from within. */
function bareObject(object: JsonObject, path: (string | number)[]): JsonObject | undefined {
  const result: Record<string, JsonValue> = Object.create(null);
  for (const key of Object.keys(object)) {
    const bare = key === '__proto__' ? undefined : bareValue(object[key] as JsonValue, path);
    if (bare === undefined) {
      path.push(key);
      return undefined;
    }
    result[key] = bare;
  }
  return result;
}

function bareValue(value: JsonValue, path: (string | number)[]): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (!isArray(value)) return bareObject(value, path);
  const result: JsonValue[] = [];
  for (const [index, member] of value.entries()) {
    const bare = bareValue(member, path);
    if (bare === undefined) {
      path.push(index);
      return undefined;
    }
    result.push(bare);
  }
  return result;
}

function isArray(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
