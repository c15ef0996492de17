import { describe, expect, it } from 'vitest';
import { KeptResults } from '../../src/execution/kept-results.ts';

function textsOf(kept: KeptResults): string[] {
  return [...kept.byTool.values()].flatMap(({ texts }) => texts);
}

function charactersOf(kept: KeptResults): number {
  return textsOf(kept).reduce((sum, { length }) => sum + length, 0);
}

describe('the results that are kept of a program', () => {
  it('are its last ones, in the order of the first calls', () => {
    const kept = new KeptResults();
    kept.add('a', '1');
    kept.add('b', '2');
    kept.add('a', '3');
    expect([...kept.byTool]).toEqual([
      ['a', expect.objectContaining({ count: 2, texts: ['1', '3'] })],
      ['b', expect.objectContaining({ count: 1, texts: ['2'] })],
    ]);
  });

  it('are bounded in characters, however long and many they are [waiting/kept-results]', () => {
    const kept = new KeptResults();
    kept.add('small', '{"id":1}');
    kept.add('large', 'x'.repeat(50_000_000));
    for (let call = 0; call < 100; call += 1) kept.add('many', 'y'.repeat(20_000));
    expect(charactersOf(kept)).toBeLessThanOrEqual(262_144);
    const texts = [...kept.byTool].map(
      ([
        name,
        {
          count,
          texts: { length },
        },
      ]) => [name, count, length],
    );
    // The tool that has most gives up its own.
    expect(texts).toEqual([
      ['small', 1, 1],
      ['large', 1, 1],
      ['many', 100, expect.any(Number)],
    ]);
  });

  it('are bounded in number, and so are their tools [waiting/kept-results]', () => {
    const kept = new KeptResults();
    for (let call = 0; call < 5000; call += 1) kept.add(`tool_${call % 100}`, 'null');
    expect(kept.byTool.size).toBe(50);
    const { length } = textsOf(kept);
    expect(length).toBeLessThanOrEqual(1000);
    expect(length).toBeGreaterThan(900);
  });
});
