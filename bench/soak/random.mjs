// Reproducible random numbers.

/** Numbers from 0 to 1 that depend only on the seed. */
export function seededRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    // A 32-bit mixing step; the constants are those of the golden ratio and of MurmurHash3.
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
  return {
    /** A whole number from `low` to `high`, both included. */
    integer: (low, high) => low + Math.floor(next() * (high - low + 1)),
    /** One of several pairs of an item and its weight. */
    weighted(choices) {
      let left = next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [choice, weight] of choices) {
        left -= weight;
        if (left < 0) return choice;
      }
      return choices.at(-1)[0];
    },
  };
}
