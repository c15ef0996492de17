/** A duration for people: `12 ms`, `1.24 s`. */
export function formatDuration(durationMs: number): string {
  return durationMs < 1000
    ? `${Math.round(durationMs)} ms`
    : `${(durationMs / 1000).toFixed(durationMs < 10_000 ? 2 : 1)} s`;
}

/** A whole number with thousands separators. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** Wraps text between words at this many columns. Further lines are indented. */
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

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** An age in the largest unit of which it has at least one: `40 s`, `12 min`, `3 h`, `2 d`. */
export function formatAge(ageMs: number): string {
  const units = [
    ['d', DAY_MS],
    ['h', HOUR_MS],
    ['min', MINUTE_MS],
  ] as const;
  const [unit, sizeMs] = units.find(([, size]) => ageMs >= size) ?? (['s', SECOND_MS] as const);
  return `${Math.max(0, Math.floor(ageMs / sizeMs))} ${unit}`;
}

/** Rows as lines with aligned columns. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widthOf = (column: number): number =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widthOf(column)))
      .join('  ')
      .trimEnd(),
  );
}
