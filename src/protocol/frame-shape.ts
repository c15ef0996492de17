/**
 * What a frame's JSON would become, seen from its text: parsing is what costs memory and time, so
 * whatever is out of bounds is found before.
 */

/** Deepest nesting of a frame: a bounded stack for whoever walks what it carries. */
export const MAX_FRAME_DEPTH = 64;

export interface FrameShape {
  /** What makes it unfit to be parsed, as a clause for a message. */
  readonly excess: string | undefined;
  /** A number that a JavaScript number would change, as it was written. */
  readonly inexactNumber: string | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** A number of so many characters has at most as many digits, and is exact. */
const SAFE_LENGTH = 15;

/**
 * Looks through JSON text, right or wrong, once.
 * @param maxValues - Most values that the frame may have: numbers, texts, lists, objects.
 */
export function shapeOfFrame(json: string, maxValues: number): FrameShape {
  let depth = 0;
  let values = 0;
  let inexactNumber: string | undefined;
  for (let position = 0; position < json.length; position += 1) {
    const code = json.charCodeAt(position);
    if (code === QUOTE) {
      position = endOfString(json, position);
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      values += 1;
      if (depth > MAX_FRAME_DEPTH) return tooMuch(`is nested more than ${MAX_FRAME_DEPTH} deep`);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
    } else if (code === COMMA) {
      values += 1;
    } else if ((code >= ZERO && code <= NINE) || code === MINUS) {
      const end = endOfNumber(json, position);
      if (end - position > SAFE_LENGTH) inexactNumber ??= inexactAt(json, position, end);
      position = end - 1;
    }
    if (values > maxValues) return tooMuch(`has more than ${maxValues} values`);
  }
  return { excess: undefined, inexactNumber };
}

function tooMuch(excess: string): FrameShape {
  return { excess, inexactNumber: undefined };
}

/** The closing quote, or the end of a text that has none. Long strings are passed over at memory speed. */
function endOfString(json: string, start: number): number {
  let quote = start;
  for (;;) {
    quote = json.indexOf('"', quote + 1);
    if (quote === -1) return json.length;
    let before = quote;
    while (json.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 0) return quote;
  }
}

/** Where a number ends: with the first character that cannot be of one. */
function endOfNumber(json: string, start: number): number {
  let end = start + 1;
  while (end < json.length && isOfNumber(json.charCodeAt(end))) end += 1;
  return end;
}

function isOfNumber(code: number): boolean {
  // Digits, '+', '-', '.', 'E' and 'e'.
  return (
    (code >= ZERO && code <= NINE) ||
    code === MINUS ||
    code === 0x2b ||
    code === 0x2e ||
    code === 0x45 ||
    code === 0x65
  );
}

function inexactAt(json: string, start: number, end: number): string | undefined {
  const text = json.slice(start, end);
  return isInexact(text) ? text : undefined;
}

/**
 * Whether a number is beyond what JavaScript counts in whole steps, and would arrive as another one. With a
 * fraction or an exponent it may still be a double as its program prints it: `1e+22`, `72057594037927936.0`.
 * Fractions of smaller numbers are rounded, as everywhere.
 */
function isInexact(text: string): boolean {
  const value = Number(text);
  // What overflows is refused when it has been parsed.
  if (!Number.isFinite(value) || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false;
  const [, whole = '', rest = ''] = /^(-?\d+)(.*)$/.exec(text) ?? [];
  if (rest === '') return true;
  if (/^\.0+$/.test(rest) && BigInt(whole) === BigInt(value)) return false;
  return digitsOf(text) !== digitsOf(String(value));
}

/** The digits of a number that are not zeros at its ends. */
function digitsOf(number: string): string {
  const [mantissa = ''] = number.split(/e/i);
  const digits = mantissa.replaceAll(/[-.]/g, '');
  // Not by a pattern: one that looks for zeros before the end takes the square of a run of them elsewhere.
  let start = 0;
  let end = digits.length;
  while (digits.charCodeAt(start) === ZERO) start += 1;
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return digits.slice(start, end);
}
