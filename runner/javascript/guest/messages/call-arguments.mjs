/** Encodes the arguments of a tool call as JSON, and refuses what the host would refuse. */

const { stringify } = JSON;
const { isFinite } = Number;
const { isArray, from } = Array;
const { fromEntries } = Object;
const { apply, get } = Reflect;
const indexOf = get(String.prototype, 'indexOf');

// The limit of the host (`frame-shape.ts`), without the frame itself. The host ends a session that
// exceeds it, so the runner raises an error first.
export const MAX_DEPTH = 63;

/**
 * @param {number} maxValues - How many values the host accepts: numbers, texts, lists, objects.
 * @returns {string | undefined} the JSON of an object; undefined if the JSON of the value is not one,
 * as that of a date.
 * @throws {TypeError} for a value that JSON lacks or the host would refuse, with what to do.
 */
export function encodeArguments(value, maxValues) {
  let values = 0;
  const json = stringify(value, (key, member) => {
    values += 1;
    if (values > maxValues) {
      throw new TypeError(
        `the arguments have more than ${maxValues} values; send less at a time, or send one JSON text`,
      );
    }
    return plain(key, member);
  });
  if (json === undefined || json[0] !== '{') return undefined;
  if (isTooDeep(json)) {
    throw new TypeError(
      `the arguments are nested more than ${MAX_DEPTH} levels deep; flatten them`,
    );
  }
  return json;
}

/** Whether JSON is nested deeper than the host accepts. */
export function isTooDeep(json) {
  // Texts contain brackets too, but rarely so many.
  return count(json, '[') + count(json, '{') > MAX_DEPTH && depthOf(json) > MAX_DEPTH;
}

/** Returns the JSON form of a value that JSON lacks but that has one obvious form. */
export function plain(key, value) {
  if (typeof value === 'number' && !isFinite(value)) {
    throw new TypeError(
      `${key} is ${value}, which is not a JSON value; pass a number, text or null`,
    );
  }
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(
      `${key} is a ${typeof value}, which is not a JSON value; pass a number, text, array or object`,
    );
  }
  if (value instanceof Set) return from(value);
  if (value instanceof Map) return fromEntries(value);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return from(value);
  return value;
}

/** Counts a character in a text, up to the limit. */
function count(text, character) {
  let found = 0;
  let position = apply(indexOf, text, [character]);
  while (position !== -1 && found <= MAX_DEPTH) {
    found += 1;
    position = apply(indexOf, text, [character, position + 1]);
  }
  return found;
}

function depthOf(json) {
  let depth = 0;
  let deepest = 0;
  // Matches whole texts first, so that brackets in them do not count.
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth -= 1;
  }
  return deepest;
}

/** Whether a value can be the arguments object of a tool. */
export function isArgumentsObject(value) {
  return typeof value === 'object' && value !== null && !isArray(value);
}
