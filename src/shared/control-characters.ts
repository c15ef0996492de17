/**
 * Characters that change how other text is shown, or are not shown themselves: control characters (which move a
 * terminal's cursor, set its title or rewrite what was shown; among them DEL, and C1, of which U+009B begins an escape
 * sequence), those that turn the direction of text, separators of lines and paragraphs, and those that nobody sees,
 * such as spaces without width and tags, in which text can be hidden. Joiners and variation selectors stay: emoji and
 * scripts such as Persian need them.
 */
const DECEPTIVE =
  /(?!\u200C|\u200D|[\uFE00-\uFE0F])[\p{Cc}\p{Bidi_Control}\p{Line_Separator}\p{Paragraph_Separator}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u;

const TAB = 0x09;
const LINE_FEED = 0x0a;

const PLAIN = 0;
const DECEPTIVE_UNIT = 1;
/** First half of a surrogate pair, in which only both halves tell. */
const FIRST_HALF = 2;

// Made at first use: a regular expression that calls a function for each match would take a tenth of a second for a
// megabyte of them.
let kinds: Uint8Array | undefined;

/** What each UTF-16 unit is. */
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
 * How many UTF-16 units of a text from a place on are one deceptive character; 0 if they are not, as those of line feeds
 * and tabs.
 */
export function deceptiveUnits(text: string, place: number): number {
  const first = text.charCodeAt(place);
  const kind = (kinds ?? kindsOfUnits())[first];
  if (kind !== FIRST_HALF) return kind === DECEPTIVE_UNIT ? 1 : 0;
  // Those that have two units are in three blocks, one of them for each of these first halves.
  if (first !== 0xd82f && first !== 0xd834 && (first < 0xdb40 || first > 0xdb43)) return 0;
  return DECEPTIVE.test(text.slice(place, place + 2)) ? 2 : 0;
}

/** Spells deceptive characters out. A megabyte of them takes about as long as a megabyte of others. */
export class Speller {
  readonly #spell: (character: string) => string;
  /** By UTF-16 unit, of those that have been spelled. */
  readonly #ofUnits: (string | undefined)[] = [];

  /** @param spell - Gives ASCII for one character. */
  constructor(spell: (character: string) => string) {
    this.#spell = spell;
  }

  respell(text: string): string {
    const length = this.#lengthOf(text);
    if (length === text.length) return text;
    const units = new Uint16Array(length);
    let end = 0;
    for (let place = 0; place < text.length; place++) {
      const deceptive = deceptiveUnits(text, place);
      if (deceptive === 0) units[end++] = text.charCodeAt(place);
      else {
        const spelling = this.#spellingAt(text, place, deceptive);
        for (let index = 0; index < spelling.length; index++) {
          units[end++] = spelling.charCodeAt(index);
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
      length += this.#spellingAt(text, place, deceptive).length - deceptive;
      place += deceptive - 1;
    }
    return length;
  }

  #spellingAt(text: string, place: number, units: number): string {
    if (units === 2) return this.#spell(text.slice(place, place + 2));
    const unit = text.charCodeAt(place);
    return (this.#ofUnits[unit] ??= this.#spell(String.fromCharCode(unit)));
  }
}

const FOR_PEOPLE = new Speller(spellOut);

/**
 * Text of a sandbox or a model as people may see it: deceptive characters are spelled out, such as `\x1b`. Line ends
 * and tabs stay.
 */
export function escapeControls(text: string): string {
  return FOR_PEOPLE.respell(text.replaceAll('\r\n', '\n'));
}

/** The same on one line. */
export function escapeLine(text: string): string {
  return escapeControls(text)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`);
}

function spellOut(character: string): string {
  if (character === '\r') return String.raw`\r`;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x1_00) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x1_00_00
    ? `\\u${code.toString(16).padStart(4, '0')}`
    : `\\u{${code.toString(16)}}`;
}
