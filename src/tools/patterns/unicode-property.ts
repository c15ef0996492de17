const LAST_CODE_POINT = 0x10_ffff;

/** The results so far, by escape: there are some hundreds of properties, of 20 kB at most. */
const found = new Map<string, string>();

/**
 * The characters of an escape such as `\p{L}` or `\P{scx=Greek}`, as ranges of code points for a
 * character class. Each code point is tested with JavaScript itself, because its version of Unicode
 * and its definition of a property may differ from those of other engines. That takes 30 to 100 ms
 * the first time.
 */
export function propertyRanges(escape: string): string {
  const ranges = found.get(escape) ?? findRanges(escape);
  found.set(escape, ranges);
  return ranges;
}

/** Whether the characters of an escape were looked up before. */
export function isKnownProperty(escape: string): boolean {
  return found.has(escape);
}

function findRanges(escape: string): string {
  const property = new RegExp(escape, 'u');
  let ranges = '';
  let first: number | undefined;
  for (let value = 0; value <= LAST_CODE_POINT + 1; value++) {
    const isMember = value <= LAST_CODE_POINT && property.test(String.fromCodePoint(value));
    if (isMember) first ??= value;
    else if (first !== undefined) {
      ranges += `\\x{${first.toString(16)}}-\\x{${(value - 1).toString(16)}}`;
      first = undefined;
    }
  }
  return ranges;
}
