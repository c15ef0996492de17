/** The arguments of a tool call as JSON, and what the host would not take of them. */

const { stringify } = JSON;
const { isFinite } = Number;
const { isArray, from } = Array;
const { fromEntries } = Object;
const { apply, get } = Reflect;
const indexOf = get(String.prototype, 'indexOf');

// The host's bound, less the frame itself: `frame-shape.ts` there. It ends the session of whoever sends
// more, so a program is told before.
export const MAX_DEPTH = 63;

/**
 * @param {number} maxValues - How many values the host takes: numbers, texts, lists, objects.
 * @returns {string} the JSON of an object.
 * @throws {TypeError} for what JSON has not, and for more than the host takes, with what to do.
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
  if (isTooDeep(json)) {
    throw new TypeError(
      `the arguments are nested more than ${MAX_DEPTH} levels deep; flatten them`,
    );
  }
  return json;
}

/** Whether JSON is nested deeper than the host takes. */
export function isTooDeep(json) {
  // Texts have brackets too, but few have so many.
  return count(json, '[') + count(json, '{') > MAX_DEPTH && depthOf(json) > MAX_DEPTH;
}

/** What stands in JSON for a value that it has not but that has one plain reading. */
export function plain(key, value) {
  if (typeof value === 'number' && !isFinite(value)) {
    throw new TypeError(`${key} is ${value}, which is no JSON value; pass a number, text or null`);
  }
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(
      `${key} is a ${typeof value}, which is no JSON value; pass a number, text, array or object`,
    );
  }
  if (value instanceof Set) return from(value);
  if (value instanceof Map) return fromEntries(value);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return from(value);
  return value;
}

/** How often a text has a character, counted as far as it matters. */
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
  // Texts as a whole first, so that brackets in them do not count.
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth -= 1;
  }
  return deepest;
}

/** Whether a value can be the one object of arguments that a tool takes. */
export function isArgumentsObject(value) {
  return typeof value === 'object' && value !== null && !isArray(value);
}
