/** Chance that a seed repeats. */
export interface Random {
  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  /** One of some pairs of a thing and its weight. */
  weighted<Thing>(choices: readonly (readonly [Thing, number])[]): Thing;
}

interface RandomModule {
  seededRandom(this: void, seed: number): Random;
}

/** That of the soak test. */
const { seededRandom: seeded }: RandomModule = await import(
  String(new URL('../../../bench/soak/random.mjs', import.meta.url))
);
export const seededRandom: (seed: number) => Random = seeded;

/** One of some things, each as likely as the other. */
export function oneOf<Thing>(random: Random, things: readonly Thing[]): Thing {
  return things[random.integer(0, things.length - 1)] as Thing;
}

/** True so often in a thousand times. */
export function chance(random: Random, perThousand: number): boolean {
  return random.integer(1, 1000) <= perThousand;
}
