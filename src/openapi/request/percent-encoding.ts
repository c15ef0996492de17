const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/** How long a byte is in percent-encoding. */
const ESCAPE_LENGTH = '%00'.length;

/** The values of hexadecimal digits, by their character codes. */
const DIGITS: ReadonlyMap<number | undefined, number> = new Map(
  Array.from('0123456789abcdefABCDEF', (digit) => [
    digit.charCodeAt(0),
    Number.parseInt(digit, 16),
  ]),
);

/** A text without its percent-encoding. */
export interface Decoded {
  readonly bytes: Uint8Array;
  /** Where each byte starts in the encoded text, and where the last one ends. */
  readonly starts: Uint32Array;
}

/**
 * Decodes a text, whichever of its characters are encoded, with digits of either case. Each `+`
 * becomes a space, also one that was encoded: encoders differ in that. What does not encode a byte stays as it is.
 * @param text - In UTF-8.
 */
export function decodePercent(text: Uint8Array): Decoded {
  const bytes = new Uint8Array(text.length);
  const starts = new Uint32Array(text.length + 1);
  let length = 0;
  for (let at = 0; at < text.length; length++) {
    const encoded = text[at] === PERCENT ? encodedAt(text, at + 1) : undefined;
    const byte = encoded ?? text[at] ?? 0;
    bytes[length] = byte === PLUS ? SPACE : byte;
    at += encoded === undefined ? 1 : ESCAPE_LENGTH;
    starts[length + 1] = at;
  }
  return { bytes: bytes.subarray(0, length), starts: starts.subarray(0, length + 1) };
}

function encodedAt(text: Uint8Array, at: number): number | undefined {
  const [high, low] = [DIGITS.get(text[at]), DIGITS.get(text[at + 1])];
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}
