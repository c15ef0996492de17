import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { SESSION_COUNTS } from '../../../src/calls/limits/scope-counts.ts';
import { callOrigin } from '../../support/call-origin.ts';
import { inTurn, OrderBench } from './bench.ts';

const SPENT =
  'LimitReached: this program has already made 2 calls of this tool, which is as many as it may make (maxCalls.program); this call was not made';

it('a program that has made its calls of a tool gets an error that names the limit', async () => {
  const bench = new OrderBench({ maxCalls: { program: 2 } });
  const order = bench.program();
  expect(await inTurn(4, async () => order())).toEqual(['ok', 'ok', SPENT, SPENT]);
  expect(bench.ran).toHaveLength(2);
  expect(await bench.program()()).toBe('ok');
});

it('a refused call is a decision that names its limit and what was counted', async () => {
  const bench = new OrderBench({ maxCalls: { program: 1 } });
  const order = bench.program();
  await inTurn(2, async (count) => order({ count }));
  expect(bench.decisions).toEqual([
    expect.objectContaining({
      decision: 'denied',
      toolName: 'order',
      arguments: { count: 1 },
      limit: 'maxCalls.program',
      reason:
        'this program has already made 1 call of this tool, which is as many as it may make (maxCalls.program)',
    }),
  ]);
});

it('calls that are made at the same time do not exceed the limit', async () => {
  const bench = new OrderBench({ maxCalls: { program: 10 } });
  const order = bench.program();
  const outcomes = await Promise.all(Array.from({ length: 100 }, async () => order()));
  expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(10);
  expect(bench.ran).toHaveLength(10);
});

it.each(['run', 'session'] as const)(
  'programs and direct calls count together in one %s',
  async (unit) => {
    const bench = new OrderBench({ maxCalls: { [unit]: 3 }, allowedCallers: ['code', 'direct'] });
    const shared = randomUUID();
    const ids = (): [string | undefined, string | undefined] =>
      unit === 'run' ? [shared, undefined] : [undefined, shared];
    const outcomes = [
      await bench.program(...ids())(),
      await bench.direct(...ids())(),
      await bench.program(...ids())(),
      await bench.direct(...ids())(),
      await bench.program(...ids())(),
    ];
    const spent = `LimitReached: this ${unit} has already made 3 calls of this tool, which is as many as it may make (maxCalls.${unit}); this call was not made`;
    expect(outcomes).toEqual(['ok', 'ok', 'ok', spent, spent]);
    expect(await bench.program()()).toBe('ok');
  },
);

it('a limit of programs does not apply to direct calls', async () => {
  const bench = new OrderBench({ maxCalls: { program: 1 }, allowedCallers: ['direct'] });
  const order = bench.direct();
  expect(await inTurn(3, async () => order())).toEqual(['ok', 'ok', 'ok']);
});

it('calls that the schema refuses or a rule denies do not count', async () => {
  const rules = [
    {
      tool: 'order',
      when: ({ input }: { input: object }) => 'denied' in input,
      action: 'deny' as const,
    },
  ];
  const inputSchema = { type: 'object', properties: { count: { type: 'number' } } } as const;
  const bench = new OrderBench({ maxCalls: { program: 1 }, inputSchema }, { rules });
  const order = bench.program();
  expect(await order({ count: 'many' })).toMatch(/^InvalidArguments/);
  expect(await order({ denied: true })).toMatch(/^Denied/);
  expect(await order()).toBe('ok');
  expect(await order()).toMatch(/^LimitReached/);
});

it('calls about which the approver is asked count before it is asked', async () => {
  let asked = 0;
  const bench = new OrderBench(
    { maxCalls: { program: 15 } },
    {
      rules: [{ tool: 'order', action: 'ask' }],
      approver: async () => {
        asked += 1;
        return { approved: false, reason: 'no' };
      },
    },
  );
  const order = bench.program();
  // More than the approver gets at a time.
  const outcomes = await Promise.all(Array.from({ length: 40 }, async () => order()));
  expect(outcomes.filter((outcome) => outcome.startsWith('Rejected'))).toHaveLength(15);
  expect(outcomes.filter((outcome) => outcome.startsWith('LimitReached'))).toHaveLength(25);
  expect(asked).toBe(15);
});

it('a rule sets limits by labels, in place of those of the tool', async () => {
  const bench = new OrderBench(
    { maxCalls: { program: 2, session: 100 } },
    {
      rules: [
        {
          tool: '*',
          when: ({ labels }) => labels['role'] === 'buyer',
          action: 'allow',
          maxCalls: { program: 4 },
        },
      ],
    },
  );
  const count = async (labels: Readonly<Record<string, string>>): Promise<number> => {
    const order = bench.program();
    const origin = callOrigin({ labels });
    const outcomes = await inTurn(6, async () => order({}, { origin }));
    return outcomes.filter((outcome) => outcome === 'ok').length;
  };
  expect(await count({ role: 'buyer' })).toBe(4);
  expect(await count({ role: 'guest' })).toBe(2);
});

it('the counts of a session are dropped when it is forgotten', async () => {
  const bench = new OrderBench({ maxCalls: { session: 1 } });
  const session = randomUUID();
  const order = async (): Promise<string> => bench.program(undefined, session)();
  expect(await inTurn(2, order)).toEqual(['ok', expect.stringMatching(/^LimitReached/)]);
  SESSION_COUNTS.forget(session);
  expect(await order()).toBe('ok');
});

it('the counts of the runs that called least recently are dropped', async () => {
  const bench = new OrderBench({ maxCalls: { run: 1 } });
  const order = async (run: string): Promise<string> => bench.program(run)();
  expect(await order('first')).toBe('ok');
  for (let index = 0; index < 9999; index += 1) await order(`other ${index}`);
  // A call that is refused is a call as well.
  expect(await order('first')).toMatch(/^LimitReached/);
  await order('one more');
  expect(await order('first')).toMatch(/^LimitReached/);
  for (let index = 0; index < 9999; index += 1) await order(`next ${index}`);
  await order('last');
  expect(await order('first')).toBe('ok');
});

it('names of tools and runs that objects have are names like any other', async () => {
  const bench = new OrderBench({ maxCalls: { run: 1 } });
  for (const run of ['__proto__', 'constructor']) {
    expect(await bench.program(run)()).toBe('ok');
    expect(await bench.program(run)()).toMatch(/^LimitReached/);
  }
});
