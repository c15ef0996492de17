import { expect, it } from 'vitest';
import { EqualCalls } from '../../../src/calls/limits/equal-calls.ts';
import type { Approval } from '../../../src/tools/policy/approval.ts';
import type { ApprovalRequest } from '../../../src/tools/policy/approval-request.ts';
import { ApprovalGrants } from '../../../src/tools/policy/grants/approval-grants.ts';
import { inTurn, OrderBench, WRITES } from './bench.ts';

const DENIED =
  'LimitReached: this program has already made 20 calls of this tool with equal arguments, and may make 20 (repeatedCalls.limit); this call was not made';

/** The arguments of a program, as they come out of a frame. */
const parsed = (text: string): unknown => JSON.parse(text);

it('a tool that says that it writes and is not idempotent has a limit by default', async () => {
  const bench = new OrderBench({ annotations: WRITES });
  const order = bench.program();
  const outcomes = await inTurn(21, async () => order({ product: 'tea' }));
  expect(outcomes.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'ok'));
  expect(outcomes[20]).toBe(DENIED);
  expect(await order({ product: 'coffee' })).toBe('ok');
  expect(await bench.program()({ product: 'tea' })).toBe('ok');
  expect(bench.decisions).toMatchObject([{ decision: 'denied', limit: 'repeatedCalls.limit' }]);
});

it.each([
  ['says nothing', {}],
  ['does not say whether it is idempotent', { readOnlyHint: false }],
  ['does not say whether it writes', { idempotentHint: false, destructiveHint: true }],
  ['only reads', { readOnlyHint: true, idempotentHint: false }],
  ['is idempotent', { readOnlyHint: false, idempotentHint: true }],
])('a tool that %s has no limit by default', async (_what, annotations) => {
  const order = new OrderBench({ annotations }).program();
  const outcomes = await inTurn(100, async () => order());
  expect(outcomes.every((outcome) => outcome === 'ok')).toBe(true);
});

it('the limit can be turned off, by the tool or by a rule', async () => {
  const byTool = new OrderBench({ annotations: WRITES, repeatedCalls: false }).program();
  const rules = [{ tool: '*', action: 'allow', repeatedCalls: false }] as const;
  const byRule = new OrderBench({ annotations: WRITES }, { rules }).program();
  for (const order of [byTool, byRule]) {
    expect(new Set(await inTurn(30, async () => order()))).toEqual(new Set(['ok']));
  }
});

it('an approver is asked about each further call', async () => {
  const requests: ApprovalRequest[] = [];
  const answers: Approval[] = [{ approved: true }, { approved: false, reason: 'enough tea' }];
  const bench = new OrderBench(
    { repeatedCalls: { limit: 2, action: 'ask' } },
    {
      rules: [],
      approver: async (request) => {
        requests.push(request);
        return answers.shift() ?? { approved: false, reason: 'no answer' };
      },
    },
  );
  const order = bench.program();
  expect(await inTurn(4, async () => order({ product: 'tea' }))).toEqual([
    'ok',
    'ok',
    'ok',
    'Rejected: it was not approved: enough tea',
  ]);
  expect(requests).toMatchObject([
    {
      arguments: { product: 'tea' },
      reason:
        'this program has already made 2 calls of this tool with equal arguments, and may make 2 (repeatedCalls.limit)',
    },
    { reason: expect.stringMatching(/^this program has already made 3 calls/) },
  ]);
});

it('an approver that a rule asks is told of the repeated calls too', async () => {
  const reasons: (string | undefined)[] = [];
  const bench = new OrderBench(
    { repeatedCalls: { limit: 1, action: 'ask' } },
    {
      rules: [{ tool: '*', action: 'ask', reason: 'costs money' }],
      approver: async ({ reason }) => {
        reasons.push(reason);
        return { approved: true };
      },
    },
  );
  const order = bench.program();
  await inTurn(2, async () => order());
  expect(reasons).toEqual([
    'costs money',
    'costs money; this program has already made 1 call of this tool with equal arguments, and may make 1 (repeatedCalls.limit)',
  ]);
});

it('a grant covers calls about which a limit would ask', async () => {
  let asked = 0;
  const bench = new OrderBench(
    { repeatedCalls: { limit: 1, action: 'ask' } },
    {
      rules: [],
      grants: new ApprovalGrants(),
      approver: async () => {
        asked += 1;
        return { approved: true, grant: { calls: 2 } };
      },
    },
  );
  const order = bench.program();
  expect(new Set(await inTurn(5, async () => order()))).toEqual(new Set(['ok']));
  expect(asked).toBe(2);
  expect(bench.decisions.filter(({ decision }) => decision === 'granted')).toHaveLength(2);
});

it('a grant passes no limit that denies, and a call that is denied uses none up', async () => {
  const grants = new ApprovalGrants();
  const bench = new OrderBench(
    { maxCalls: { program: 2 } },
    {
      rules: [{ tool: '*', action: 'ask' }],
      grants,
      approver: async () => ({ approved: true, grant: { calls: 5 } }),
    },
  );
  const order = bench.program();
  expect(await inTurn(3, async () => order())).toEqual([
    'ok',
    'ok',
    expect.stringMatching(/^LimitReached/),
  ]);
  expect(grants.active).toMatchObject([{ callsLeft: 4 }]);
});

it('calls that wait until the approver has room are counted once', async () => {
  const approver = async (): Promise<Approval> => ({ approved: true });
  const bench = new OrderBench(
    { repeatedCalls: { limit: 50, action: 'deny' }, maxCalls: { program: 50 } },
    { rules: [{ tool: '*', action: 'ask' }], approver },
  );
  const order = bench.program();
  const outcomes = await Promise.all(Array.from({ length: 50 }, async () => order()));
  expect(outcomes.every((outcome) => outcome === 'ok')).toBe(true);
});

it('a limit that asks denies if there is no approver', async () => {
  const bench = new OrderBench({ repeatedCalls: { limit: 1, action: 'ask' } }, { rules: [] });
  const order = bench.program();
  expect(await inTurn(2, async () => order())).toEqual([
    'ok',
    expect.stringMatching(/^LimitReached: .*repeatedCalls/),
  ]);
});

it('a call that is denied for its repetition does not count toward maxCalls', async () => {
  const bench = new OrderBench({
    repeatedCalls: { limit: 1, action: 'deny' },
    maxCalls: { program: 2 },
  });
  const order = bench.program();
  await inTurn(5, async () => order({ product: 'tea' }));
  expect(await order({ product: 'coffee' })).toBe('ok');
});

it('direct calls have no limit of repeated calls', async () => {
  const bench = new OrderBench({ annotations: WRITES, allowedCallers: ['direct'] });
  const order = bench.direct();
  expect(new Set(await inTurn(30, async () => order()))).toEqual(new Set(['ok']));
});

it.each([
  ['keys in another order', '{"a": 1, "b": {"c": 2, "d": 3}}', '{"b":{"d":3,"c":2},"a":1}'],
  ['1 and 1.0', '{"a": 1}', '{"a": 1.0}'],
  ['1e2 and 100', '{"a": 1e2}', '{"a": 100}'],
  ['-0 and 0', '{"a": -0}', '{"a": 0}'],
  ['an escaped letter', '{"a": "\\u0062"}', '{"a": "b"}'],
  ['members named __proto__', '{"__proto__": {"a": 1}}', '{"__proto__": {"a": 1}}'],
])('arguments are equal with %s', async (_what, one, other) => {
  const order = new OrderBench({ repeatedCalls: { limit: 1, action: 'deny' } }).program();
  expect(await order(parsed(one))).toBe('ok');
  expect(await order(parsed(other))).toMatch(/^LimitReached/);
});

it.each([
  ['a number and a text', '{"a": 1}', '{"a": "1"}'],
  ['a list in another order', '{"a": [1, 2]}', '{"a": [2, 1]}'],
  ['null and nothing', '{"a": null}', '{}'],
  ['different members named __proto__', '{"__proto__": {"a": 1}}', '{"__proto__": {"a": 2}}'],
  ['no member named __proto__', '{"__proto__": {"a": 1}}', '{}'],
])('arguments are not equal with %s', async (_what, one, other) => {
  const order = new OrderBench({ repeatedCalls: { limit: 1, action: 'deny' } }).program();
  expect(await order(parsed(one))).toBe('ok');
  expect(await order(parsed(other))).toBe('ok');
});

it('of 100,000 different calls, only those of late are remembered', () => {
  const equal = new EqualCalls();
  for (let index = 0; index < 100_000; index += 1) equal.count('order', `{"count":${index}}`);
  expect(equal.count('order', '{"count":99999}')).toBe(2);
  expect(equal.count('order', '{"count":98001}')).toBe(2);
  expect(equal.count('order', '{"count":0}')).toBe(1);
});

it('a loop is found although the program makes other calls in between', () => {
  const equal = new EqualCalls();
  let count = 0;
  for (let index = 0; index < 10_000; index += 1) {
    equal.count('order', `{"count":${index}}`);
    if (index % 1000 === 0) count = equal.count('order', '{"product":"tea"}');
  }
  expect(count).toBe(10);
});

it('the processor time of comparing arguments counts for the program', async () => {
  const timesOf = async (bench: OrderBench): Promise<number> => {
    let times = 0;
    await bench.program()({ text: 'x'.repeat(2 ** 20 - 100) }, { onValidated: () => (times += 1) });
    return times;
  };
  expect(await timesOf(new OrderBench())).toBe(1);
  expect(await timesOf(new OrderBench({ annotations: WRITES }))).toBe(2);
});
