/**
 * Characters that change how other text is displayed, or that are invisible: control characters,
 * which can move a terminal's cursor, set its title or overwrite text (including DEL, and C1, whose
 * U+009B begins an escape sequence); characters that change the direction of text; line and
 * paragraph separators; and invisible characters in which text can be hidden, such as zero-width
 * spaces and tags. Joiners and variation selectors are not included: emoji and scripts such as
 * Persian need them.
 */
const DECEPTIVE =
  /(?!\t|\n|\u200C|\u200D|[\uFE00-\uFE0F])[\p{Cc}\p{Bidi_Control}\p{Line_Separator}\p{Paragraph_Separator}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu;
/** Any character that may be deceptive. Most text has none, and to look for one takes a quarter of the time. */
const BEYOND_PRINTABLE_ASCII = /[^\t\n\x20-\x7E]/;

/**
 * Returns a function that replaces deceptive characters.
 * @param escape - Returns the replacement of one character.
 */
export function escaper(escape: (character: string) => string): (text: string) => string {
  // A program may print a million of them.
  const escapes = new Map<string, string>();
  const escapeOnce = (character: string): string => {
    const known = escapes.get(character) ?? escape(character);
    escapes.set(character, known);
    return known;
  };
  return (text) =>
    BEYOND_PRINTABLE_ASCII.test(text) ? text.replaceAll(DECEPTIVE, escapeOnce) : text;
}

const escapeForDisplay = escaper((character) => {
  if (character === '\r') return String.raw`\r`;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x1_00) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x1_00_00
    ? `\\u${code.toString(16).padStart(4, '0')}`
    : `\\u{${code.toString(16)}}`;
});

/**
 * Makes text from a sandbox or a model safe to display: deceptive characters become escapes such as
 * `\x1b`. Line ends and tabs stay.
 */
export function escapeControls(text: string): string {
  return escapeForDisplay(text.replaceAll('\r\n', '\n'));
}

/** Like `escapeControls`, but line ends and tabs become escapes too, so the result is one line. */
export function escapeLine(text: string): string {
  return escapeControls(text)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`);
}
