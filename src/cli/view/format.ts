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
