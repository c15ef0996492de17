import { describe, expect, it } from 'vitest';

interface StatisticsModule {
  median(this: void, values: readonly number[]): number;
  quantile(this: void, values: readonly number[], share: number): number;
  interleave(
    this: void,
    rounds: number,
    measurements: Record<string, () => Promise<number>>,
  ): Promise<Record<string, number>>;
}

const { median, quantile, interleave }: StatisticsModule = await import(
  String(new URL('../../bench/statistics.mjs', import.meta.url))
);

describe('the statistics of the bench', () => {
  it('take the middle of a list in any order, or the mean of its two middles', () => {
    expect(median([9, 1, 2])).toBe(2);
    expect(median([10, 1, 2, 3])).toBe(2.5);
  });

  it('give the number that a share of a list does not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(quantile(hundred, 0.99)).toBe(99);
    expect(quantile(hundred, 1)).toBe(100);
    expect(quantile([7], 0.5)).toBe(7);
  });

  it('measure in turn, round after round, and give medians', async () => {
    const order: string[] = [];
    const measure = (name: string, values: number[]) => (): Promise<number> => {
      order.push(name);
      return Promise.resolve(values.shift() ?? Number.NaN);
    };
    const medians = await interleave(3, { a: measure('a', [5, 1, 3]), b: measure('b', [2, 2, 9]) });
    expect(order.join('')).toBe('ababab');
    expect(medians).toEqual({ a: 3, b: 2 });
  });
});
