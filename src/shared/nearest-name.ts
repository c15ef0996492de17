import { closestMatch } from 'leven';

/** A misspelt name is at most this many characters away from the right one. */
const MAX_DISTANCE = 3;

/** The name that a misspelt one means; undefined if none is close enough. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const rearranged = known.find((one) => lettersOf(one) === lettersOf(name));
  if (rearranged !== undefined) return rearranged;
  // Among short names, other words are as close as misspelt ones.
  const maxDistance = Math.min(MAX_DISTANCE, Math.round(0.4 * name.length));
  return closestMatch(name, known, { maxDistance });
}

function lettersOf(name: string): string {
  return Array.from(name).toSorted().join('');
}
