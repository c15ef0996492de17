import { randomUUID } from 'node:crypto';

/** A text of at least so many characters is divided. Its pieces take some milliseconds each. */
const LONG_LENGTH = 2 ** 20;

/**
 * Writes a JSON value as text in pieces, so that other work can be done between them. The text of a
 * value with many images would hold the event loop, and could be longer than a string can be. Each
 * piece is valid Unicode, so it can be encoded alone.
 */
export function* jsonPieces(value: unknown): Generator<string, void> {
  if (!hasLongText(value)) {
    yield JSON.stringify(value);
    return;
  }
  const long: string[] = [];
  // Nothing in the value contains it.
  const place = randomUUID();
  const whole = JSON.stringify(value, (_key, one: unknown) => {
    if (!isLongText(one)) return one;
    long.push(one);
    return place;
  });
  const [start = '', ...rest] = whole.split(`"${place}"`);
  yield start;
  for (const [index, after] of rest.entries()) {
    yield '"';
    yield* textPieces(long[index] ?? '');
    yield `"${after}`;
  }
}

/** A surrogate pair that is cut becomes two escapes, which are read as one character again. */
function* textPieces(text: string): Generator<string, void> {
  for (let at = 0; at < text.length; at += LONG_LENGTH) {
    yield JSON.stringify(text.slice(at, at + LONG_LENGTH)).slice(1, -1);
  }
}

function hasLongText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isLongText(value);
  return Object.values(value).some(hasLongText);
}

function isLongText(value: unknown): value is string {
  return typeof value === 'string' && value.length >= LONG_LENGTH;
}
