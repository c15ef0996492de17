/** The choices of a search: the same each time, unless a seed asks for others. A failure prints it. */
const SEED = Number(process.env['SANDBOXED_PTC_SEED'] ?? 1);

/** So many inputs, however long they take. */
export function fixedRuns(numRuns: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns, seed: SEED };
}
