import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Finding {
  readonly cpuMs?: number;
  readonly isCut?: boolean;
  readonly why?: string;
  readonly threw?: string;
}

interface Row {
  readonly name: string;
  readonly tried: number;
  readonly findings: readonly Finding[];
}

interface FuzzCostModule {
  fuzzCost(
    this: void,
    options: {
      readonly targets: URL;
      readonly names: readonly string[];
      readonly shapes: number;
      readonly seed: number;
      readonly directory: string;
      readonly processes: number;
      readonly onFinding: () => void;
    },
  ): Promise<readonly Row[]>;
}

const { fuzzCost }: FuzzCostModule = await import(
  String(new URL('../../bench/fuzz/cost/fuzz-cost.mjs', import.meta.url))
);
const names = [
  'linear',
  'quadratic for some',
  'quadratic in a process that has tried much',
  'exponential for some',
  'throws for some',
  'ends its process for some',
];

// The quadratic function takes some hundred times the limit for the largest input, and the linear one
// a hundredth of it: processor time is what counts, so a busy machine changes neither.
describe('the cost fuzzer', () => {
  let rows: readonly Row[] = [];
  let directory = '';

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fuzz-cost-test-'));
    rows = await fuzzCost({
      targets: new URL('cost-targets.mjs', import.meta.url),
      names,
      // All that the targets define: how much is tried does not depend on the machine.
      shapes: 3,
      seed: 1,
      directory,
      processes: 2,
      onFinding: () => {},
    });
  });

  afterAll(async () => rm(directory, { recursive: true }));

  const findingOf = (name: string): Finding | undefined =>
    rows.find((row) => row.name === name)?.findings[0];

  it('tries every target that it is given', () => {
    expect(rows.map((row) => row.name)).toEqual(names);
    expect(rows.every((row) => row.tried > 0)).toBe(true);
  });

  it('finds nothing in a function whose time grows with its input', () => {
    expect(findingOf('linear')).toBeUndefined();
  });

  it('finds the input for which the time grows with its square', () => {
    expect(findingOf('quadratic for some')?.cpuMs).toBeGreaterThan(50);
  });

  it('counts nothing that takes no time in a new process', () => {
    expect(rows.find(({ name }) => name.includes('tried much'))).toMatchObject({ findings: [] });
  });

  it('cuts off what does not end, and counts it', () => {
    expect(findingOf('exponential for some')).toMatchObject({ isCut: true });
  });

  it('counts an error that gets out', () => {
    expect(findingOf('throws for some')?.threw).toContain('it has a b');
  });

  it('counts an input that ends the process', () => {
    expect(findingOf('ends its process for some')?.why).toContain('SIGABRT');
  });
});
