/** How much of a call's arguments and of its result is kept, in characters. */
const KEPT_LENGTH = 500;

/** The start of a long text. It is copied, because a substring keeps the whole string in memory. */
export function startOf(text: string, length: number = KEPT_LENGTH): string {
  const start = Buffer.from(text.slice(0, length)).toString();
  return text.length > length ? `${start}…` : start;
}

/** Removes line breaks, so that each line is about one call. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}
