/**
 * The frames that a guest receives and sends. A frame is one line: opening marker, JSON, closing
 * marker, newline.
 */

// A program may replace built-in methods, so the runner keeps the originals that it needs.
const { parse, stringify } = JSON;
const { apply, get } = Reflect;
const [charCodeAt, endsWith, padStart, replace, slice, startsWith] = [
  'charCodeAt',
  'endsWith',
  'padStart',
  'replace',
  'slice',
  'startsWith',
].map((name) => get(String.prototype, name));
const numberToString = get(Number.prototype, 'toString');
const NON_ASCII = ownMethods(/[\u007f-\uffff]/g);

export const CONFIGURE = ['__PTC_CONFIGURE__', '__PTC_END_CONFIGURE__'];
export const EXECUTE = ['__PTC_EXECUTE__', '__PTC_END_EXECUTE__'];
export const TOOL_RESULT = ['__PTC_TOOL_RESULT__', '__PTC_END_RESULT__'];
export const CANCEL = ['__PTC_CANCEL__', '__PTC_END_CANCEL__'];

export const READY = ['__PTC_READY__', '__PTC_END_READY__'];
export const TOOL_CALL = ['__PTC_TOOL_CALL__', '__PTC_END_CALL__'];
export const WAITING = ['__PTC_WAITING__', '__PTC_END_WAITING__'];
export const IMAGE = ['__PTC_IMAGE__', '__PTC_END_IMAGE__'];
export const REPORT = ['__PTC_REPORT__', '__PTC_END_REPORT__'];
export const VALUE = ['__PTC_VALUE__', '__PTC_END_VALUE__'];
export const OUTCOME = ['__PTC_OUTPUT__', '__PTC_END_OUTPUT__'];

const TAKEN = [TOOL_RESULT, EXECUTE, CANCEL, CONFIGURE];

/**
 * Returns the line with `body`, including its newline. It is ASCII, because all other characters
 * are escaped.
 */
export function encode(marker, body) {
  return encodeText(marker, stringify(body));
}

/** The same for a JSON text. */
export function encodeText({ 0: open, 1: close }, json) {
  return `${open}${apply(replace, json, [NON_ASCII, escaped])}${close}\n`;
}

/**
 * Returns the marker and the body of a line without its newline. Undefined if it is not a frame for
 * a guest.
 */
export function decode(line) {
  for (let index = 0; index < TAKEN.length; index += 1) {
    const marker = TAKEN[index];
    const { 0: open, 1: close } = marker;
    if (apply(startsWith, line, [open]) && apply(endsWith, line, [close])) {
      const text = apply(slice, line, [open.length, line.length - close.length]);
      try {
        return { marker, body: parse(text) };
      } catch {
        // The result of a tool that an earlier host had not written to its end.
        return undefined;
      }
    }
  }
  return undefined;
}

function escaped(character) {
  const digits = apply(numberToString, apply(charCodeAt, character, [0]), [16]);
  return `\\u${apply(padStart, digits, [4, '0'])}`;
}

/** Gives a pattern own properties for everything that is otherwise looked up in its prototype. */
function ownMethods(pattern) {
  for (const name of ['exec', 'flags', 'global', 'unicode', Symbol.replace]) {
    Object.defineProperty(pattern, name, { value: pattern[name] });
  }
  return pattern;
}
