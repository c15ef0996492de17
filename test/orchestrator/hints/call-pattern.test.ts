import { expect, it } from 'vitest';
import type { CallLog, LoggedCall } from '../../../src/calls/call-log.ts';
import type { ToolOutcome } from '../../../src/calls/tool-outcome.ts';
import { CallPattern } from '../../../src/orchestrator/hints/call-pattern.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';

const NO_LOG: CallLog = { started: async () => {}, ended: async () => {} };

const tools = new ToolRegistry(
  ['get_order', 'list_orders', 'db:get'].map((name) => ({
    name,
    description: 'Reads.',
    concurrency: name === 'db:get' ? 2 : 100,
    run: () => null,
  })),
);

/** The calls of a program. */
class Program {
  readonly pattern: CallPattern = new CallPattern();
  readonly #log: CallLog = this.pattern.logWith(NO_LOG);
  #calls = 0;

  /** Begins a call, and returns what ends it. */
  async begin(toolName: string, input: object): Promise<(result: unknown) => Promise<void>> {
    this.#calls += 1;
    const callId = String(this.#calls);
    const argumentsText = JSON.stringify(input);
    const call: LoggedCall = { toolName, callId, caller: 'code', argumentsText };
    await this.#log.started(call);
    return async (result) => {
      const outcome: ToolOutcome = { ok: true, result: { text: JSON.stringify(result) } };
      await this.#log.ended(call, outcome);
    };
  }

  async call(toolName: string, input: object, result: unknown): Promise<void> {
    const end = await this.begin(toolName, input);
    await end(result);
  }

  /** The tools whose calls were made one after another without need, and how many there were. */
  get series(): Readonly<Record<string, number>> {
    const { series } = this.pattern.facts(tools, 16);
    return Object.fromEntries(series.map(({ name, calls }) => [name, calls]));
  }
}

it('calls one after another, each with its own arguments, are a series', async () => {
  const program = new Program();
  for (const id of ['a1', 'a2', 'a3']) {
    await program.call('get_order', { id }, { order: id, total: 5, text: 'A good one.' });
  }
  expect(program.series).toEqual({ get_order: 3 });
});

it('calls with values that another tool returned are a series', async () => {
  const program = new Program();
  const orders = ['a1', 'a2', 'a3'].map((id, index) => ({ id, next: `a${index + 2}` }));
  await program.call('list_orders', { month: 3 }, orders);
  for (const { id, next } of orders) await program.call('get_order', { id }, { id, next });
  expect(program.series).toEqual({ get_order: 3, list_orders: 1 });
});

it.each([
  ['a value', { cursor: 'zm9v' }, { next: 'zm9v' }],
  ['a number', { page: 7 }, { nextPage: 7 }],
  ['a number as text', { page: '7' }, { nextPage: 7 }],
  ['a name of a member', { id: 'a17' }, { a17: { total: 5 } }],
  ['an id in a longer text', { path: '/orders/a17-b/items' }, { next: 'a17-b' }],
  ['an id out of a longer text', { cursor: 'zm9v1' }, { next: 'https://shop/items?cursor=zm9v1' }],
  ['a deep value', { a: [{ b: 'deep1' }] }, { c: [[{ d: ['deep1'] }]] }],
  ['a value with escapes', { text: 'a"b\n\\' }, ['a"b\n\\']],
  ['a member named __proto__', { id: 'x9y8' }, JSON.parse('{"__proto__": {"id": "x9y8"}}')],
])(
  'calls are not a series if an argument has %s of an earlier result',
  async (_what, input, result) => {
    const program = new Program();
    await program.call('get_order', { first: true }, result);
    await program.call('get_order', input, null);
    expect(program.series).toEqual({});
  },
);

it.each([
  [
    'true, false, null and the empty text',
    { all: true, id: '' },
    { done: true, more: '', x: null },
  ],
  ['the name of an argument', { id: 'a2' }, { id: 'a1' }],
  ['words without a digit in longer texts', { query: 'green tea' }, { text: 'a pot of green tea' }],
])('%s say nothing about where a value is from', async (_what, input, result) => {
  const program = new Program();
  await program.call('get_order', { first: 1 }, result);
  await program.call('get_order', input, null);
  expect(program.series).toEqual({ get_order: 2 });
});

it('a value that the program had first may come back', async () => {
  const program = new Program();
  await program.call('get_order', { user: 'u1', id: 'a1' }, { user: 'u1' });
  await program.call('get_order', { user: 'u1', id: 'a2' }, { user: 'u1' });
  expect(program.series).toEqual({ get_order: 2 });
});

it('calls that overlap are not a series, nor is a call of another tool meanwhile', async () => {
  const program = new Program();
  const ends = [
    await program.begin('get_order', { id: 'a1' }),
    await program.begin('list_orders', { month: 1 }),
  ];
  for (const end of ends) await end(null);
  await program.call('get_order', { id: 'a2' }, null);
  expect(program.series).toEqual({});
});

it('equal calls are not a series, and are counted', async () => {
  const program = new Program();
  for (const id of ['a1', 'a2', 'a1', 'a1']) await program.call('get_order', { id }, null);
  expect(program.series).toEqual({});
  expect(program.pattern.facts(tools, 16).repeated).toEqual({ name: 'get_order', calls: 3 });
});

it('calls about which a person was asked are not a series', async () => {
  const program = new Program();
  program.pattern.asked('get_order');
  for (const id of ['a1', 'a2']) await program.call('get_order', { id }, null);
  expect(program.series).toEqual({});
});

it('a series has the name of the function, and the smaller limit of calls at a time', async () => {
  const program = new Program();
  await program.call('db:get', { id: 'a1' }, null);
  await program.call('get_order', { id: 'a2' }, null);
  expect(program.pattern.facts(tools, 16).series).toMatchObject([
    { name: 'db_get', concurrency: 2 },
    { name: 'get_order', concurrency: 16 },
  ]);
});

it('after more results than are kept, nothing is said of series', async () => {
  const program = new Program();
  const many = Array.from({ length: 6000 }, (_, index) => index);
  await program.call('get_order', { id: 'a1' }, many);
  await program.call('get_order', { id: 'a2' }, null);
  expect(program.series).toEqual({});
  for (const id of ['a3', 'a3', 'a3']) await program.call('get_order', { id }, null);
  expect(program.pattern.facts(tools, 16).repeated).toEqual({ name: 'get_order', calls: 3 });
});

it('a result of 50 MB is not read', async () => {
  const program = new Program();
  await program.call('get_order', { id: 'a1' }, 'x'.repeat(50_000_000));
  expect(program.series).toEqual({});
});

it('what a log of calls throws is thrown, and the call counts as open', async () => {
  const failing: CallLog = {
    started: async () => {
      throw new Error('disk full');
    },
    ended: async () => {},
  };
  const log = new CallPattern().logWith(failing);
  const call = { toolName: 'a', callId: '1', caller: 'code', argumentsText: '{}' } as const;
  await expect(log.started(call)).rejects.toThrow('disk full');
});
