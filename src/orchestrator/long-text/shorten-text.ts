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
  return `${text.slice(0, half)}\n[… ${left} characters left out; ${advice} …]\n${text.slice(text.length - half)}`;
}
