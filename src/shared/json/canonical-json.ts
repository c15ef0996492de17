import type { JsonObject, JsonValue } from './json.ts';

/**
 * The canonical text of a value: keys sorted by their UTF-16 units, no white space (as in RFC
 * 8785).
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  return objectOf(membersOf(value));
}

/** A member of an object: its name, and the text of its name and value. */
export type Member = readonly [name: string, text: string];

/** The members of an object, in its own order. */
export function membersOf(value: JsonObject): Member[] {
  return Object.keys(value).map((name) => [
    name,
    `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`,
  ]);
}

/** The canonical text of an object with these members. */
export function objectOf(members: readonly Member[]): string {
  const sorted = members.toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${sorted.map(([, text]) => text).join(',')}}`;
}

/** `Array.isArray` does not narrow a read-only array. */
function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
