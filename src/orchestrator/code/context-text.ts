/** Longest text of one result that goes into the model's context, in characters. */
const MAX_CONTEXT_LENGTH = 50_000;

/**
 * A result's text as the model's service gets it. A long text is reduced to its start and its end,
 * with a note on how to see the rest. Half of a surrogate pair becomes U+FFFD, because services
 * refuse a request with one.
 * @param advice - How to see the rest.
 * @param added - Text that follows and stays whole. It reduces the space for the result.
 */
export function contextText(text: string, advice: string, added = ''): string {
  const shown = shortenText(text, MAX_CONTEXT_LENGTH - added.length, advice);
  return [shown, added].filter((part) => part !== '').join('\n');
}

/**
 * Reduces a long text to its start and its end, with a note on what was left out. The result is
 * always valid Unicode.
 * @param maxLength - How much of the text stays, in characters.
 * @param advice - A hint about the rest, such as how to see it.
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
