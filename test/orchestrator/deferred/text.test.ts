import { expect, it } from 'vitest';
import type { DeferredCall } from '../../../src/execution/deferred/deferred-call.ts';
import { deferredText } from '../../../src/orchestrator/calls/deferred-text.ts';

function call(number: number, outcome: DeferredCall['outcome'], long = 'x'): DeferredCall {
  return {
    number,
    callId: String(number),
    toolName: 'pay',
    argumentsText: JSON.stringify({ to: long }),
    outcome,
    result: outcome === 'done' ? JSON.stringify(long) : undefined,
    error: outcome === 'done' ? undefined : { type: 'Failed', message: `for ${number}\nand why` },
  };
}

it('lists what is not done, then what is, and counts the others', () => {
  const calls = Array.from({ length: 1000 }, (_, index) =>
    call(index + 1, index === 700 ? 'failed' : index === 999 ? 'unknown' : 'done'),
  );
  const lines = deferredText(calls).split('\n');
  expect(lines).toHaveLength(102);
  expect(lines.slice(-4)).toEqual([
    '98. pay({"to":"x"}): done, "x"',
    '701. pay({"to":"x"}): failed, Failed: for 701 and why',
    '1000. pay({"to":"x"}): it is not known whether this was done, Failed: for 1000 and why',
    'and 900 more: done (pay 900)',
  ]);
});

it('is short, however long the arguments and results are', () => {
  const calls = Array.from({ length: 1000 }, (_, index) =>
    call(index + 1, index % 2 ? 'failed' : 'done', 'x'.repeat(10_000)),
  );
  expect(deferredText(calls).length).toBeLessThan(70_000);
});

it('says once why none was made, and nothing if there is none', () => {
  const none = { outcome: 'not-made', error: { type: 'Cancelled', message: 'no' } } as const;
  const calls = [1, 2].map((number) => ({ ...call(number, 'not-made'), ...none }));
  expect(deferredText([...calls, { ...call(3, 'not-made'), ...none, toolName: 'mail' }])).toBe(
    '[The program deferred 3 tool calls (pay 2, mail 1), of which none was made: Cancelled: no]',
  );
  expect(deferredText([])).toBe('');
});
