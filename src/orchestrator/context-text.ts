/** Longest text of one result that goes into the model's context, in characters. */
const MAX_CONTEXT_LENGTH = 50_000;

/**
 * A result's text as the model's service gets it: its start and its end if it is too long, with how
 * to see the rest, and U+FFFD for half a surrogate pair, since services refuse a request that has one.
 * @param advice - What to do to see the rest.
 * @param added - What is said beside it, which stays whole: it takes its room from the text.
 */
export function contextText(text: string, advice: string, added = ''): string {
  const shown = shortenText(text, MAX_CONTEXT_LENGTH - added.length, advice);
  return [shown, added].filter((part) => part !== '').join('\n');
}

/**
 * The start and the end of a text that is too long, with what was left out between them. Always valid Unicode.
 * @param maxLength - Of what stays, in characters.
 * @param advice - What to know of the rest, such as how to see it.
 */
export function shortenText(text: string, maxLength: number, advice: string): string {
  return Buffer.from(shorten(text, maxLength, advice)).toString();
}

function shorten(text: string, maxLength: number, advice: string): string {
  if (text.length <= maxLength) return text;
  const half = Math.floor(maxLength / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${left} characters left out; ${advice} …]\n${text.slice(-half)}`;
}
