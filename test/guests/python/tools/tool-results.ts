import assert from 'node:assert/strict';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import type { ToolContext } from '../../../../src/tools/tool.ts';
import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

const cycle: Record<string, unknown> = {};

cycle['self'] = cycle;

/** What the tool `give` returns, by name. */
const returned: Record<string, unknown> = {
  undefined,
  bigint: { total: 10n },
  cycle,
  function: { callback: () => 1 },
  buffer: Buffer.from('bytes'),
  nan: [1, Number.NaN],
  map: new Map([['a', 1]]),
  toJSON: {
    at: {
      toJSON() {
        throw new Error('no clock');
      },
    },
  },
  date: { at: new Date(Date.UTC(2026, 0, 2)) },
  missing: { a: undefined, b: [undefined] },
};

/** What the tools `fail` and `fail_later` throw, by name. */
const thrown: Record<string, unknown> = {
  error: new Error('the database is down'),
  string: 'just a string',
  null: null,
  'empty message': new Error(''),
  'getter bomb': Object.defineProperty(new Error('x'), 'message', {
    get() {
      throw new Error('boom');
    },
  }),
  frozen: Object.freeze(new RangeError('out of range')),
  'odd message': Object.assign(new Error('x'), { message: 5n }),
  'with a cause': Object.assign(new Error('no file', { cause: new Error('S3CRET') }), {
    path: '/srv/S3CRET',
  }),
  'python-like': new TypeError('__PTC_END_RESULT__ "quoted" \u2028 🙂'),
};

/** Results, failures and parallel calls of tools in Python. */
export function pythonToolResults(): TestGroup {
  const nameSchema = { type: 'object', properties: { name: { type: 'string' } } } as const;
  const late = createDeferred<string>();
  const hung: ToolContext[] = [];
  let running = 0;
  let mostRunning = 0;
  let gate = createDeferred<void>();
  return {
    name: 'results of tools in Python',
    options: {
      budgets: { concurrentToolCalls: 200 },
      tools: [
        {
          name: 'give',
          description: 'Returns something.',
          inputSchema: nameSchema,
          run: (input) => returned[(input as { name: string }).name],
        },
        {
          name: 'fail',
          description: 'Throws something.',
          inputSchema: nameSchema,
          run: (input) => {
            throw thrown[(input as { name: string }).name];
          },
        },
        {
          name: 'fail_later',
          description: 'Rejects.',
          inputSchema: nameSchema,
          run: async (input) => {
            await Promise.resolve();
            throw thrown[(input as { name: string }).name];
          },
        },
        {
          name: 'keep_quiet',
          description: 'Throws what nobody may see.',
          errorDetails: 'none',
          run: () => {
            throw new Error('the password S3CRET is wrong');
          },
        },
        {
          name: 'hang',
          description: 'Does not answer in time and ignores its signal.',
          timeoutMs: 50,
          run: async (_input, context) => {
            hung.push(context);
            return late.promise;
          },
        },
        {
          name: 'meet',
          description: 'Answers once all have come.',
          inputSchema: {
            type: 'object',
            properties: { index: { type: 'integer' }, of: { type: 'integer' } },
          },
          run: async (input) => {
            const { index, of } = input as { index: number; of: number };
            running += 1;
            mostRunning = Math.max(mostRunning, running);
            if (running === of) gate.resolve();
            await gate.promise;
            // The last call gets its answer first.
            for (let i = index; i < of; i += 1) await new Promise(setImmediate);
            running -= 1;
            return index;
          },
        },
      ],
    },
    tests: [
      ...(
        [
          ['undefined', 'None'],
          ['date', "{'at': '2026-01-02T00:00:00.000Z'}"],
          ['missing', "{'b': [None]}"],
        ] as const
      ).map(([name, shown]) =>
        test(`a result of ${name} is what JSON makes of it`, async (bench) => {
          assert.equal(
            await bench.print(`print(await give(name=${JSON.stringify(name)}))`),
            `${shown}\n`,
          );
        }),
      ),
      ...(
        [
          ['bigint', 'result.total'],
          ['cycle', 'result.self'],
          ['function', 'result.callback'],
          ['buffer', 'binary data'],
          ['nan', 'result[1]'],
          ['map', 'Map'],
          ['toJSON', 'result.at cannot be read: no clock'],
        ] as const
      ).map(([name, where]) =>
        test(`a result with a ${name} is a failure that says where [case 101]`, async (bench) => {
          const code = `try:\n    await give(name=${JSON.stringify(name)})\nexcept ToolError as error:\n    print(error.type, error.message)`;
          const text = await bench.print(code);
          assert.match(text, /^InvalidResult /);
          assert.ok(text.includes(where), text);
        }),
      ),
      ...(
        [
          ['error', 'the database is down'],
          ['string', 'just a string'],
          ['null', 'null'],
          ['empty message', 'Error'],
          ['getter bomb', 'cannot be shown'],
          ['frozen', 'out of range'],
          ['odd message', '5'],
          ['with a cause', 'no file'],
          ['python-like', '__PTC_END_RESULT__ "quoted" \u2028 🙂'],
        ] as const
      ).map(([name, message]) =>
        test(`a tool that throws ${name} raises a ToolError that the code can catch [case 99, case 105]`, async (bench) => {
          for (const tool of ['fail', 'fail_later']) {
            const code = `try:\n    await ${tool}(name=${JSON.stringify(name)})\nexcept ToolError as error:\n    print(error.type, error.tool, error.message)`;
            const text = await bench.print(code);
            assert.match(text, new RegExp(`^Failed ${tool} `));
            assert.ok(text.includes(message), text);
            assert.doesNotMatch(text, /node:|S3CRET|[.]ts/);
          }
        }),
      ),
      test('a tool that keeps its errors to the host tells the code no more than that it failed', async (bench) => {
        const told: unknown[] = [];
        const code = `
try:
    await keep_quiet()
except ToolError as error:
    print(vars(error), error)
await keep_quiet()`;
        const result = await bench.run(code, {
          onEvent: (event) => {
            if (event.type === 'tool-call-ended') told.push(event.error);
          },
        });
        assert.match(result.stdout, /the tool failed/);
        assert.doesNotMatch(JSON.stringify(result), /S3CRET/);
        const failure = { type: 'Failed', message: 'the password S3CRET is wrong' };
        assert.deepEqual(told, [failure, failure]);
      }),
      test('a call that is made again, in its program or a later one, has an id of its own [case 106]', async (bench) => {
        const retry =
          'for _ in range(2):\n    try:\n        await hang()\n    except ToolError: pass';
        hung.length = 0;
        await bench.run(retry);
        await bench.run(retry);
        const calls = hung.map(({ callId, sessionId }) => `${sessionId} ${callId}`);
        assert.equal(new Set(calls).size, 4);
      }),
      test('a ToolError can be pickled and raised again', async (bench) => {
        const code = `
import pickle
try:
    await fail(name="error")
except ToolError as error:
    again = pickle.loads(pickle.dumps(error))
    print(again.type, again.tool, again)`;
        const message = 'fail failed (Failed): the database is down';
        assert.equal(await bench.print(code), `Failed fail ${message}\n`);
      }),
      test('a tool that overruns its time, its signal ignored, raises; its late result is dropped [case 100]', async (bench) => {
        const code = `
try:
    await hang()
except ToolError as error:
    print(error.message)`;
        assert.equal(await bench.print(code), 'hang failed (Timeout): no answer within 50 ms\n');
        assert.equal(hung.at(-1)?.signal.aborted, true);
        late.resolve('too late');
        assert.equal(await bench.print('print(await give(name="undefined"))'), 'None\n');
      }),
      ...[2, 5, 10, 100, 200].map((count) =>
        test(`${count} calls at once run at once, and their results find them`, async (bench) => {
          mostRunning = 0;
          gate = createDeferred();
          const code = `
import asyncio
results = await asyncio.gather(*(meet(index=i, of=${count}) for i in range(${count})))
print(results == list(range(${count})))`;
          assert.equal(await bench.print(code), 'True\n');
          assert.equal(mostRunning, count);
        }),
      ),
      test('tool calls and their results are reported as events, in order', async (bench) => {
        const events: unknown[] = [];
        await bench.run(
          'await give(name="date")\ntry:\n    await fail(name="error")\nexcept ToolError: pass',
          {
            onEvent: (event) => events.push(event),
          },
        );
        assertMatches(events, [
          { type: 'tool-call-started', toolName: 'give', arguments: { name: 'date' } },
          { type: 'tool-call-ended', toolName: 'give', error: undefined },
          { type: 'tool-call-started', toolName: 'fail' },
          { type: 'tool-call-ended', error: { type: 'Failed', message: 'the database is down' } },
        ]);
      }),
      test('the program goes on printing while a call waits', async (bench) => {
        const code = `
import asyncio
async def tick():
    print("meanwhile")
await asyncio.gather(give(name="undefined"), tick())
print("after")`;
        assert.equal(await bench.print(code), 'meanwhile\nafter\n');
      }),
    ],
  };
}
