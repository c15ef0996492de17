/**
 * The first characters of a text, or all of it. V8 makes a part of a text refer to the whole text, which
 * would stay in memory. Joined with another text and cut off again, the part has characters of its own.
 */
export function beginningOf(text: string, characters: number): string {
  return text.length <= characters ? text : ` ${text.slice(0, characters)}`.slice(1);
}
