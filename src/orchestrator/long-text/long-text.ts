import { cutText, fits, omissionLine, showSize, type CutText } from './cut-text.ts';
import type { KeptText, NotKept } from './kept-text.ts';

/** How much of the limit the notes on what was left out take, in bytes. */
const NOTES_BYTES = 500;

/** A text for the model that may be too long. */
export interface LongText {
  readonly text: string;
  /** What it is, in words for the model. */
  readonly what: 'output' | 'result';
  /** Whether some of it was left out already. A line in it says how much. */
  readonly isIncomplete: boolean;
  /** How many bytes of the limit other texts take. */
  readonly besideBytes: number;
  /** What the model can do instead: a clause. */
  readonly advice: string;
  /** Keeps the text. Called only if it is too long. */
  readonly keep: (text: string) => Promise<KeptText | NotKept>;
}

/** A text for the model, and where all of it is. */
export interface FittedText {
  readonly text: string;
  /** Undefined if it was not too long, or could not be kept. */
  readonly kept: KeptText | undefined;
}

/**
 * Fits a text into what goes to the model. A long one is reduced to its start and its end, and kept;
 * the model is told so above and below it. Half of a surrogate pair becomes U+FFFD, because services
 * refuse a request with one.
 */
export async function fitText(long: LongText, maxBytes: number): Promise<FittedText> {
  // However much comes beside it, some of it is shown.
  const room = Math.max(maxBytes - long.besideBytes, Math.floor(maxBytes / 5));
  const shown = long.text.trimEnd();
  if (fits(shown, room)) return { text: shown.toWellFormed(), kept: undefined };
  const cut = cutText(shown, Math.max(room - NOTES_BYTES, Math.floor(maxBytes / 10)));
  const kept = await long.keep(long.text);
  const text = [
    noteAbove(cut, long, kept),
    cut.start,
    omissionLine(cut),
    cut.end,
    noteBelow(cut, long, kept),
  ].join('\n');
  return { text, kept: 'problem' in kept ? undefined : kept };
}

function noteAbove({ whole, leftOut }: CutText, long: LongText, kept: KeptText | NotKept): string {
  return `[This ${long.what} is too long: of ${showSize(whole)}, ${showSize(leftOut)} are left out. ${whereIs(long, kept)}.]`;
}

function noteBelow({ leftOut }: CutText, long: LongText, kept: KeptText | NotKept): string {
  const lost = 'problem' in kept;
  const advice = lost ? long.advice : 'read the parts that you need in a program';
  return `[Above, ${showSize(leftOut)} of the ${long.what} are left out. ${whereIs(long, kept)}: ${advice}.]`;
}

function whereIs({ isIncomplete }: LongText, kept: KeptText | NotKept): string {
  if ('problem' in kept) return `They are lost, because ${kept.problem}`;
  return kept.isWhole && !isIncomplete
    ? `All of it is in ${kept.path}`
    : `Most of it is in ${kept.path}, where a line says how much is missing`;
}
