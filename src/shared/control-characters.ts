/**
 * Characters that change how other text is displayed, or that are invisible: control characters,
 * which can move a terminal's cursor, set its title or overwrite text (including DEL, and C1, whose
 * U+009B begins an escape sequence); characters that change the direction of text; line and
 * paragraph separators; and invisible characters in which text can be hidden, such as zero-width
 * spaces and tags. Joiners and variation selectors are not included: emoji and scripts such as
 * Persian need them.
 */
const DECEPTIVE =
  /(?!\u200C|\u200D|[\uFE00-\uFE0F])[\p{Cc}\p{Bidi_Control}\p{Line_Separator}\p{Paragraph_Separator}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u;

const TAB = 0x09;
const LINE_FEED = 0x0a;

const PLAIN = 0;
const DECEPTIVE_UNIT = 1;
/** First half of a surrogate pair: only both halves together tell. */
const FIRST_HALF = 2;

// Created at first use. A regular expression that calls a function for each match would take a
// tenth of a second for a megabyte of matches.
let kinds: Uint8Array | undefined;

/** The kind of each UTF-16 unit. */
function kindsOfUnits(): Uint8Array {
  if (kinds !== undefined) return kinds;
  kinds = new Uint8Array(0x1_00_00);
  for (let unit = 0; unit < kinds.length; unit++) {
    if (unit >= 0xd800 && unit < 0xdc00) kinds[unit] = FIRST_HALF;
    else if (unit !== TAB && unit !== LINE_FEED) {
      kinds[unit] = DECEPTIVE.test(String.fromCharCode(unit)) ? DECEPTIVE_UNIT : PLAIN;
    }
  }
  return kinds;
}

/**
 * The number of UTF-16 units of the deceptive character at `place`; 0 if the character there is not
 * deceptive, as line feeds and tabs are not.
 */
export function deceptiveUnits(text: string, place: number): number {
  const first = text.charCodeAt(place);
  const kind = (kinds ?? kindsOfUnits())[first];
  if (kind !== FIRST_HALF) return kind === DECEPTIVE_UNIT ? 1 : 0;
  // Deceptive characters of two units are in three blocks, which have only these first halves.
  if (first !== 0xd82f && first !== 0xd834 && (first < 0xdb40 || first > 0xdb43)) return 0;
  return DECEPTIVE.test(text.slice(place, place + 2)) ? 2 : 0;
}

/**
 * Replaces deceptive characters. A megabyte of them takes about as long as a megabyte of others.
 */
export class Escaper {
  readonly #escape: (character: string) => string;
  /** The replacements made so far, by UTF-16 unit. */
  readonly #ofUnits: (string | undefined)[] = [];

  /** @param escape - Returns the replacement of one character, in ASCII. */
  constructor(escape: (character: string) => string) {
    this.#escape = escape;
  }

  escape(text: string): string {
    const length = this.#lengthOf(text);
    if (length === text.length) return text;
    const units = new Uint16Array(length);
    let end = 0;
    for (let place = 0; place < text.length; place++) {
      const deceptive = deceptiveUnits(text, place);
      if (deceptive === 0) units[end++] = text.charCodeAt(place);
      else {
        const replacement = this.#escapeAt(text, place, deceptive);
        for (let index = 0; index < replacement.length; index++) {
          units[end++] = replacement.charCodeAt(index);
        }
        place += deceptive - 1;
      }
    }
    return Buffer.from(units.buffer).toString('utf16le');
  }

  #lengthOf(text: string): number {
    let length = text.length;
    for (let place = 0; place < text.length; place++) {
      const deceptive = deceptiveUnits(text, place);
      if (deceptive === 0) continue;
      length += this.#escapeAt(text, place, deceptive).length - deceptive;
      place += deceptive - 1;
    }
    return length;
  }

  #escapeAt(text: string, place: number, units: number): string {
    if (units === 2) return this.#escape(text.slice(place, place + 2));
    const unit = text.charCodeAt(place);
    return (this.#ofUnits[unit] ??= this.#escape(String.fromCharCode(unit)));
  }
}

const FOR_DISPLAY = new Escaper(escapeForDisplay);

/**
 * Makes text from a sandbox or a model safe to display: deceptive characters become escapes such as
 * `\x1b`. Line ends and tabs stay.
 */
export function escapeControls(text: string): string {
  return FOR_DISPLAY.escape(text.replaceAll('\r\n', '\n'));
}

/** Like `escapeControls`, but line ends and tabs become escapes too, so the result is one line. */
export function escapeLine(text: string): string {
  return escapeControls(text)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`);
}

function escapeForDisplay(character: string): string {
  if (character === '\r') return String.raw`\r`;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x1_00) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x1_00_00
    ? `\\u${code.toString(16).padStart(4, '0')}`
    : `\\u{${code.toString(16)}}`;
}
