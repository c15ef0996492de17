import { describe, expect, it } from 'vitest';

interface Measured {
  readonly value: number;
  readonly floor?: number;
}

interface Judged {
  readonly unit: string;
  readonly value: number;
  readonly ratio?: number | undefined;
  readonly goal?: string | undefined;
  readonly met?: boolean | undefined;
  readonly higherIsBetter: boolean;
}

interface BenchRun {
  readonly providers: Record<string, { readonly rows: Record<string, Judged> }>;
}

interface JudgeModule {
  judge(this: void, row: object, provider: string, measured: Measured): Judged;
  compareRuns(
    this: void,
    earlier: BenchRun,
    later: BenchRun,
  ): readonly { readonly name: string; readonly change: number; readonly worse: boolean }[];
}

const { judge, compareRuns }: JudgeModule = await import(
  String(new URL('../../bench/judge.mjs', import.meta.url))
);

function judged(goal: object, measured: Measured, unit = 'ms'): Judged {
  return judge({ unit, goals: { docker: goal } }, 'docker', measured);
}

function benchRun(rows: Record<string, Judged>): BenchRun {
  return { providers: { docker: { rows } } };
}

describe('the bench judges a row', () => {
  it('by its ratio to the floor of the same run', () => {
    expect(judged({ ratioAtMost: 2 }, { value: 3, floor: 2 })).toMatchObject({
      ratio: 1.5,
      goal: '≤ 2x',
      met: true,
    });
    expect(judged({ ratioAtMost: 2 }, { value: 5, floor: 2 }).met).toBe(false);
    expect(judged({ ratioAtLeast: 0.95 }, { value: 9, floor: 10 }, '/s').met).toBe(false);
  });

  it('by how far it is above its floor, or by itself', () => {
    expect(judged({ extraAtMost: 5 }, { value: 6, floor: 0.5 })).toMatchObject({
      goal: '≤ +5 ms',
      met: false,
    });
    expect(judged({ atMost: 57 }, { value: 57, floor: 50 }).met).toBe(true);
    expect(judged({ atMost: 32 }, { value: 33 })).toMatchObject({ ratio: undefined, met: false });
  });

  it('not where its provider has no goal', () => {
    const row = judge({ unit: 'ms', goals: {} }, 'embedded', { value: 1 });
    expect(row).toMatchObject({ goal: undefined, met: undefined });
  });
});

describe('the bench compares two runs', () => {
  const ratio = { ratioAtMost: 2 };

  it('by ratios, so that a slower machine is not a slower product', () => {
    const earlier = benchRun({ RTT: judged(ratio, { value: 3, floor: 2 }) });
    const later = benchRun({ RTT: judged(ratio, { value: 30, floor: 20 }) });
    expect(compareRuns(earlier, later)).toMatchObject([{ name: 'RTT', change: 0, worse: false }]);
  });

  it('and marks what got worse by more than a tenth', () => {
    const earlier = benchRun({ RTT: judged(ratio, { value: 100, floor: 100 }) });
    const after = (value: number): BenchRun =>
      benchRun({ RTT: judged(ratio, { value, floor: 100 }) });
    expect(compareRuns(earlier, after(109))).toMatchObject([{ worse: false }]);
    expect(compareRuns(earlier, after(112))).toMatchObject([{ worse: true }]);
    expect(compareRuns(earlier, after(50))).toMatchObject([{ change: -0.5, worse: false }]);
  });

  it('and knows that fewer starts in a second are worse', () => {
    const rate = (value: number): BenchRun =>
      benchRun({ RATE: judged({ ratioAtLeast: 0.95 }, { value, floor: 10 }, '/s') });
    expect(compareRuns(rate(10), rate(8))).toMatchObject([{ worse: true }]);
    expect(compareRuns(rate(8), rate(10))).toMatchObject([{ worse: false }]);
  });

  it('by the figures where there is no floor, and leaves out rows that only one has', () => {
    const flood = (value: number): Judged => judged({ atMost: 32 }, { value });
    const earlier = benchRun({ FLOOD: flood(10), MEM: flood(0) });
    const later = benchRun({ FLOOD: flood(12), MEM: flood(1), MANY: flood(3) });
    expect(compareRuns(earlier, later)).toMatchObject([{ name: 'FLOOD', worse: true }]);
  });
});
