import { expect } from 'vitest';
import { PtcError } from '../../src/shared/errors.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

/** Runs it. @returns what it returned; undefined where it threw a `PtcError` with one of these codes. */
export function typedOnly<Result>(
  codes: readonly PtcError['code'][],
  run: () => Result,
): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PtcError))
      throw new Error('An untyped error came out.', { cause: error });
    expect(codes).toContain(error.code);
    return undefined;
  }
}

const PLAIN_KEYS = Reflect.ownKeys(Object.prototype).length;

/** @throws where something was written into the prototype of all objects. */
export function expectNoPollution(): void {
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(Reflect.ownKeys(Object.prototype)).toHaveLength(PLAIN_KEYS);
}

/** All objects in a value, itself included; lists are not objects here. */
export function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inner : [value, ...inner];
}

/** How much longer the second input of `costOfGrowth` is than the first. */
export const GROWTH = 16;
/** What that may cost at most. Linear is 16 and quadratic is 256: both are far from it. */
export const LINEAR = 64;
const ROUNDS = 5;
/** On a slow and busy machine, V8 has optimised the code only after some ten rounds. */
const MOST_ROUNDS = 40;

/**
 * How many times as much `work` takes for `GROWTH` times the input. Processor time of this process, the
 * least of several rounds by turns: what else the machine does only adds to it. More rounds follow as long as it looks as if
 * the cost were not linear.
 */
export async function costOfGrowth(size: number, work: (size: number) => unknown): Promise<number> {
  let [short, long] = [Infinity, Infinity];
  await work(size);
  // Of less than a millisecond nothing can be said.
  const cost = (): number => long / Math.max(short, 1000);
  for (let round = 0; round < ROUNDS || (round < MOST_ROUNDS && cost() >= LINEAR); round += 1) {
    short = Math.min(short, await processorTime(() => work(size)));
    long = Math.min(long, await processorTime(() => work(size * GROWTH)));
  }
  return cost();
}

async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Bytes that stay, on the heap and off it, while what `make` gave is held. */
export async function retainedBytes(make: () => unknown): Promise<number> {
  const before = usedBytes();
  const made = await make();
  const bytes = usedBytes() - before;
  // Held until here.
  expect(made).toBeDefined();
  return bytes;
}

function usedBytes(): number {
  for (let round = 0; round < 3; round += 1) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
