const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/** The values of hexadecimal digits, by their character codes. */
const DIGITS: ReadonlyMap<number | undefined, number> = new Map(
  Array.from('0123456789abcdefABCDEF', (digit) => [
    digit.charCodeAt(0),
    Number.parseInt(digit, 16),
  ]),
);

/**
 * Replaces a secret in a text, whichever of its characters are percent-encoded there, with digits of
 * either case, and also if a space is a `+`: encoders differ in both. Not with a regular expression:
 * that of a long secret would exhaust the stack.
 */
export function replaceEncoded(text: string, secret: string, replacement: string): string {
  if (!/[%+]/.test(text)) return text;
  const bytes = Buffer.from(text);
  const searched = Buffer.from(secret);
  const parts: string[] = [];
  let from = 0;
  for (let start = 0; start < bytes.length;) {
    const end = endOf(searched, bytes, start);
    if (end === undefined) start += 1;
    else {
      parts.push(bytes.toString('utf8', from, start), replacement);
      start = end;
      from = end;
    }
  }
  return from === 0 ? text : `${parts.join('')}${bytes.toString('utf8', from)}`;
}

/** Where a secret ends that begins at a position of a text; undefined if it does not begin there. */
function endOf(secret: Buffer, text: Buffer, start: number): number | undefined {
  let at = start;
  for (const byte of secret) {
    if (text[at] === PERCENT && encodedAt(text, at + 1) === byte) at += 3;
    else if (text[at] === byte || (byte === SPACE && text[at] === PLUS)) at += 1;
    else return undefined;
  }
  return at;
}

function encodedAt(text: Buffer, at: number): number {
  const [high = Number.NaN, low = Number.NaN] = [DIGITS.get(text[at]), DIGITS.get(text[at + 1])];
  return high * 16 + low;
}
