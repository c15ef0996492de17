import { expect, it } from 'vitest';
import {
  chooseHint,
  type CallFacts,
  type CallSeries,
} from '../../../src/orchestrator/hints/choose-hint.ts';

const SERIES: CallSeries = {
  name: 'get_order',
  calls: 12,
  totalMs: 3100,
  longestMs: 300,
  concurrency: 16,
};

function facts(changes: Partial<CallSeries> = {}, more: Partial<CallFacts> = {}): CallFacts {
  return { series: [{ ...SERIES, ...changes }], repeated: undefined, ...more };
}

it.each([
  ['python', 'asyncio.gather would have taken about 0.3 s.'],
  ['typescript', 'Promise.all would have taken about 0.3 s.'],
  ['javascript', 'Promise.all would have taken about 0.3 s.'],
  ['bash', 'starting each with & and then wait would have taken about 0.3 s.'],
] as const)('a program in %s is told how its calls run at the same time', (language, end) => {
  expect(chooseHint(facts(), language)).toBe(
    `12 calls of get_order, one after another, took 3.1 s, and no argument came from the result of another. If they do not depend on each other, ${end}`,
  );
});

it('what would have been gained takes into account how many calls run at a time', () => {
  expect(chooseHint(facts({ concurrency: 4 }), 'python')).toContain('about 0.9 s');
  expect(chooseHint(facts({ calls: 40, totalMs: 12_000 }), 'python')).toContain('about 0.9 s');
});

it.each([
  ['there are few', { calls: 3 }],
  ['they took little time', { totalMs: 900, longestMs: 80 }],
  ['each took almost no time', { calls: 1000, totalMs: 2000, longestMs: 3 }],
  ['one took most of the time', { longestMs: 2900 }],
  ['they could not run at the same time', { concurrency: 1 }],
  ['less than a quarter of the time would be gained', { totalMs: 9000, longestMs: 7000 }],
])('there is no hint about calls in turn if %s', (_what, changes) => {
  expect(chooseHint(facts(changes), 'python')).toBeUndefined();
});

it('of several series, the hint is about the one with which most time would be gained', () => {
  const other = { ...SERIES, name: 'get_customer', totalMs: 9000 };
  const both = facts({}, { series: [SERIES, other] });
  expect(chooseHint(both, 'python')).toMatch(/^12 calls of get_customer, .* took 9\.0 s/);
});

it('a call that was made many times with equal arguments is said so', () => {
  const repeated = { name: 'get_status', calls: 30 };
  expect(chooseHint({ series: [], repeated }, 'python')).toBe(
    'get_status was called 30 times with equal arguments. Keep a result in a variable, unless you wait for it to change.',
  );
  expect(chooseHint({ series: [], repeated: { ...repeated, calls: 19 } }, 'python')).toBe(
    undefined,
  );
});

it('there is one hint at most', () => {
  const both = facts({}, { repeated: { name: 'get_status', calls: 30 } });
  expect(chooseHint(both, 'python')).toMatch(/get_order/);
  expect(chooseHint(both, 'python')).not.toMatch(/get_status/);
});
