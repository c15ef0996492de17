/**
 * Checks the shape of a frame's JSON before it is parsed, because parsing costs memory and time.
 */

/** The deepest nesting of a frame, so that code that walks its contents needs a limited stack. */
export const MAX_FRAME_DEPTH = 64;

export interface FrameShape {
  /** Why the frame must not be parsed, as a clause for a message. */
  readonly excess: string | undefined;
  /** A number that JavaScript would round, as it was written. */
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

/**
 * A number of this many characters has at most as many digits, so JavaScript represents it exactly.
 */
const SAFE_LENGTH = 15;

/**
 * Scans JSON text once. The text may be invalid.
 * @param maxValues - How many values the frame may have: numbers, texts, lists and objects.
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
      if (depth > MAX_FRAME_DEPTH) return tooLarge(`is nested more than ${MAX_FRAME_DEPTH} deep`);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
    } else if (code === COMMA) {
      values += 1;
    } else if ((code >= ZERO && code <= NINE) || code === MINUS) {
      const end = endOfNumber(json, position);
      if (end - position > SAFE_LENGTH) inexactNumber ??= inexactAt(json, position, end);
      position = end - 1;
    }
    if (values > maxValues) return tooLarge(`has more than ${maxValues} values`);
  }
  return { excess: undefined, inexactNumber };
}

function tooLarge(excess: string): FrameShape {
  return { excess, inexactNumber: undefined };
}

/**
 * The index of the closing quote, or the end of the text if there is none. `indexOf` skips long
 * strings at memory speed.
 */
export function endOfString(json: string, start: number): number {
  let quote = start;
  for (;;) {
    quote = json.indexOf('"', quote + 1);
    if (quote === -1) return json.length;
    let before = quote;
    while (json.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 0) return quote;
  }
}

/** The index of the first character that cannot be part of the number. */
function endOfNumber(json: string, start: number): number {
  let end = start + 1;
  while (end < json.length && isNumberCharacter(json.charCodeAt(end))) end += 1;
  return end;
}

function isNumberCharacter(code: number): boolean {
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
 * Whether a number is larger than the largest safe integer and would arrive changed, or would be
 * changed when it is sent back. It is not if it has the digits with which its double is written:
 * `9876543210123456`, `1e+22`. `2 ** 60` is a double too, but is written as 1152921504606847000.
 * With a fraction of zeros, it may be a double as Python prints it: `72057594037927936.0`.
 * Fractions of smaller numbers are rounded, as everywhere.
 */
function isInexact(text: string): boolean {
  const value = Number(text);
  // A number that overflows is refused after it was parsed.
  if (!Number.isFinite(value) || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false;
  if (digitsOf(text) === digitsOf(String(value))) return false;
  const [, whole] = /^(-?\d+)\.0+$/.exec(text) ?? [];
  return whole === undefined || BigInt(whole) !== BigInt(value);
}

/** The digits of a number without the zeros at both ends. */
function digitsOf(number: string): string {
  const [mantissa = ''] = number.split(/e/i);
  const digits = mantissa.replaceAll(/[-.]/g, '');
  // Not a regular expression: one that looks for trailing zeros takes quadratic time for a run of
  // zeros elsewhere.
  let start = 0;
  let end = digits.length;
  while (digits.charCodeAt(start) === ZERO) start += 1;
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return digits.slice(start, end);
}
