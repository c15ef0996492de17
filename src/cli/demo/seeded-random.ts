/** Returns a number from 0 to 1. */
export type Random = () => number;

/**
 * Mulberry32 with a hash of the seed. It is good enough for numbers that only have to look
 * arbitrary.
 */
export function seededRandom(seed: string): Random {
  let state = 0;
  for (const character of seed) state = Math.imul(state ^ character.charCodeAt(0), 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
