/** A time a person can read: `12 ms`, `1.24 s`. */
export function formatDuration(durationMs: number): string {
  return durationMs < 1000
    ? `${Math.round(durationMs)} ms`
    : `${(durationMs / 1000).toFixed(durationMs < 10_000 ? 2 : 1)} s`;
}

/** A whole number with its thousands set apart. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** Text on lines of at most this many columns, broken between words; further lines are indented. */
export function wrap(text: string, columns: number, indent: number): string {
  const room = Math.max(20, columns - indent);
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
