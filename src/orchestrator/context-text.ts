/** Longest text of one result that goes into the model's context, in characters. */
const MAX_CONTEXT_LENGTH = 50_000;

/**
 * A result's text as the model's service gets it: its start and its end where it is too long, with how
 * to see the rest, and U+FFFD for half a surrogate pair, since services refuse a request that has one.
 * @param advice - What to do to see the rest.
 */
export function contextText(text: string, advice: string): string {
  return Buffer.from(shorten(text, advice)).toString();
}

function shorten(text: string, advice: string): string {
  if (text.length <= MAX_CONTEXT_LENGTH) return text;
  const half = MAX_CONTEXT_LENGTH / 2;
  const left = text.length - MAX_CONTEXT_LENGTH;
  return `${text.slice(0, half)}\n[… ${left} characters left out; ${advice} …]\n${text.slice(-half)}`;
}
