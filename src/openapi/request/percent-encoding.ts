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
 * @param secret - Its bytes in UTF-8.
 */
export function replaceEncoded(text: string, secret: Buffer, replacement: string): string {
  if (!/[%+]/.test(text)) return text;
  const bytes = Buffer.from(text);
  const parts: string[] = [];
  let from = 0;
  for (let start = 0; start + secret.length <= bytes.length;) {
    const end = endOf(secret, bytes, start);
    if (end === undefined || end === CUT) start += 1;
    else {
      parts.push(bytes.toString('utf8', from, start), replacement);
      start = end;
      from = end;
    }
  }
  return from === 0 ? text : `${parts.join('')}${bytes.toString('utf8', from)}`;
}

/**
 * Replaces the beginning of a secret with which a text ends that was cut.
 * @param secret - Its bytes in UTF-8.
 * @param least - A shorter beginning stays, in bytes: it could be there by chance.
 */
export function replaceCut(
  text: string,
  secret: Buffer,
  { replacement, least }: { readonly replacement: string; readonly least: number },
): string {
  const bytes = Buffer.from(text);
  const first = Math.max(0, bytes.length - LONGEST_BYTE * secret.length);
  for (let start = first; start + least <= bytes.length; start++) {
    if (endOf(secret, bytes, start) === CUT) {
      return `${bytes.toString('utf8', 0, start)}${replacement}`;
    }
  }
  return text;
}

/** The text ends within the secret. */
const CUT = Number.POSITIVE_INFINITY;

/** How long a byte is in percent-encoding. */
const LONGEST_BYTE = '%00'.length;

/** Where a secret ends that begins at a position of a text; undefined if it does not begin there. */
function endOf(secret: Buffer, text: Buffer, start: number): number | undefined {
  let at = start;
  for (let index = 0; index < secret.length; index++) {
    const byte = secret[index];
    if (text[at] === PERCENT && encodedAt(text, at + 1) === byte) at += LONGEST_BYTE;
    else if (text[at] === byte || (byte === SPACE && text[at] === PLUS)) at += 1;
    else if (at >= text.length || (text[at] === PERCENT && at + 2 >= text.length)) return CUT;
    else return undefined;
  }
  return at;
}

function encodedAt(text: Buffer, at: number): number {
  const [high = Number.NaN, low = Number.NaN] = [DIGITS.get(text[at]), DIGITS.get(text[at + 1])];
  return high * 16 + low;
}
