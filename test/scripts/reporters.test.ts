import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { TestModule, Vitest } from 'vitest/node';
import ProgressReporter from '../support/progress-reporter.ts';
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

function skippedFor(...reasons: readonly string[]): TestModule {
  return moduleOf(...reasons.map((note): Ended => ({ state: 'skipped', note })));
}

/** How the reporter says where the other reasons are. */
const HOW_TO_LIST = 'skipped: to list all reasons, run vitest with --hideSkippedTests=false';

it('says in two lines of their own how many tests were skipped, the two most frequent reasons, and how to list all', () => {
  new SkippedReporter().onTestRunEnd([
    skippedFor('strace is not installed', 'the user is not root (see bash/1)'),
    skippedFor('bash has no classes', 'Chromium is not installed'),
    moduleOf(
      { state: 'skipped', skipReason: 'the user is not root' },
      { state: 'skipped', skipReason: 'the user is\nnot root ' },
      { state: 'skipped', skipReason: 'bash has no classes' },
      { state: 'passed' },
    ),
  ]);
  expect(lines).toEqual([
    '',
    'skipped: 7, each with a reason: 3 because the user is not root, 2 because bash has no classes, and 2 for 2 other reasons',
    HOW_TO_LIST,
  ]);
});

it('cuts a long reason in the summary', () => {
  new SkippedReporter().onTestRunEnd([
    skippedFor('x'.repeat(91), 'x'.repeat(91), 'y'.repeat(90), 'bash has no classes'),
  ]);
  expect(lines).toEqual([
    '',
    `skipped: 4, each with a reason: 2 because ${'x'.repeat(89)}…, 1 because ${'y'.repeat(90)}, and 1 for 1 other reason`,
    HOW_TO_LIST,
  ]);
});

it('lists each reason in full, the most frequent first, if skipped tests are not hidden', () => {
  const reporter = new SkippedReporter();
  reporter.onInit({ config: { hideSkippedTests: false } } as unknown as Vitest);
  const long = 'x'.repeat(200);
  reporter.onTestRunEnd([skippedFor(long, 'no root (see bash/1)', 'no root (see bash/1)')]);
  expect(lines).toEqual(['', 'skipped: 2 (no root (see bash/1))', `skipped: 1 (${long})`]);
});

it('says nothing about skipped tests if there are none', () => {
  new SkippedReporter().onTestRunEnd([moduleOf({ state: 'passed' })]);
  expect(lines).toEqual([]);
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

it('says how many files have ended, and which test has failed, before the end', () => {
  const reporter = new ProgressReporter();
  reporter.onTestRunStart([{}, {}] as never);
  for (const test of moduleOf(
    { state: 'passed' },
    { state: 'failed', errors: [{ message: 'expected 1' }] },
  ).children.allTests()) {
    reporter.onTestCaseResult(test);
  }
  reporter.onTestModuleEnd();
  expect(lines).toEqual(['progress: failed: test 1 (expected 1)', 'progress: 1 of 2 files']);
});
