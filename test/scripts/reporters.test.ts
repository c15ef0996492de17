import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { TestModule, Vitest } from 'vitest/node';
import CountReporter from '../support/reporter.ts';
import SkippedReporter from '../support/skipped-reporter.ts';

interface Ended {
  readonly state: 'passed' | 'failed' | 'skipped';
  /** As `context.skip` has it. */
  readonly note?: string;
  /** As `skippedFor` has it. */
  readonly skipReason?: string;
  readonly errors?: readonly { readonly message: string }[];
}

let lines: string[];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

function moduleOf(...tests: Ended[]): TestModule {
  const cases = tests.map(({ skipReason, ...result }, index) => ({
    fullName: `test ${index}`,
    result: () => result,
    meta: () => ({ ...(skipReason !== undefined && { skipReason }) }),
  }));
  return {
    errors: () => [],
    children: {
      allSuites: () => [],
      allTests: (state?: string) =>
        cases.filter(({ result }) => state === undefined || result().state === state),
    },
  } as unknown as TestModule;
}

it('has a line of at most 118 columns for each reason why tests were skipped, the most frequent first', () => {
  const long = `no\nengine ${'x'.repeat(200)}`;
  new SkippedReporter().onTestRunEnd([
    moduleOf({ state: 'skipped', note: long }, { state: 'passed' }),
    moduleOf({ state: 'skipped', note: 'no root' }, { state: 'skipped', skipReason: 'no root' }),
  ]);
  expect(lines).toEqual(['skipped: 2 (no root)', `skipped: 1 (no engine ${'x'.repeat(94)}…)`]);
  expect(lines[1]).toHaveLength(118);
});

it('closes with the counts, and counts a test that is skipped without a reason as a failed one', () => {
  const errors = [{ message: 'expected 1\nto be 2' }];
  const modules = [
    moduleOf({ state: 'passed' }, { state: 'failed', errors }, { state: 'skipped' }),
    moduleOf({ state: 'skipped', note: 'no root' }),
  ];
  new CountReporter().onTestRunEnd(modules, []);
  expect(lines).toEqual([
    'failed: test 1 (expected 1)',
    'failed: test 2 (skipped without a reason: use skippedFor)',
    '1 passed, 2 failed, 1 skipped',
  ]);
  expect(process.exitCode).toBe(1);
});

it('needs no reason for what a filter of names leaves out', () => {
  const reporter = new CountReporter();
  reporter.onInit({ config: { testNamePattern: /one/ } } as unknown as Vitest);
  reporter.onTestRunEnd([moduleOf({ state: 'passed' }, { state: 'skipped' })], []);
  expect(lines).toEqual(['1 passed, 0 failed, 1 skipped']);
});
