/**
 * What a frame's JSON would become, seen from its text: parsing is what costs memory and time, so
 * whatever is out of bounds is found before.
 */

/** Deepest nesting of a frame: a bounded stack for whoever walks what it carries. */
export const MAX_FRAME_DEPTH = 64;

/**
 * Most values of a frame, lists and objects included. A million different keys take V8 more than a
 * second to parse, and so do some millions of numbers; so many take about a tenth of that.
 */
export const MAX_FRAME_VALUES = 100_000;

export interface FrameShape {
  /** What makes it unfit to be parsed, as a clause for a message. */
  readonly excess: string | undefined;
  /** An integer that a JavaScript number cannot hold, as it was written. */
  readonly impreciseInteger: string | undefined;
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

/** As many digits every integer can have and be exact. */
const SAFE_DIGITS = 15;

/** Looks through JSON text, right or wrong, once. */
export function shapeOfFrame(json: string): FrameShape {
  let depth = 0;
  let values = 0;
  let impreciseInteger: string | undefined;
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
      if (end - position > SAFE_DIGITS) impreciseInteger ??= impreciseAt(json, position, end);
      position = end - 1;
    }
    if (values > MAX_FRAME_VALUES) {
      return tooMuch(`has more than ${MAX_FRAME_VALUES} values`);
    }
  }
  return { excess: undefined, impreciseInteger };
}

function tooMuch(excess: string): FrameShape {
  return { excess, impreciseInteger: undefined };
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

function impreciseAt(json: string, start: number, end: number): string | undefined {
  const text = json.slice(start, Math.min(end, start + 400));
  const isInteger = /^-?\d+$/.test(text);
  return isInteger && !Number.isSafeInteger(Number(text)) ? text : undefined;
}
