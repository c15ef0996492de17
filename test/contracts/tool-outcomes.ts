import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../src/shared/deferred.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { useBench, type Subject } from './subject.ts';

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

/** What `outcome` has under a name is what the tool of this test returns or throws. */
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

/** Tools that fail, hang, return what JSON has not, and run side by side. */
export function describeToolOutcomes(subject: Subject): void {
  describe('results and failures of tools', () => {
    const nameSchema = { type: 'object', properties: { name: { type: 'string' } } } as const;
    const late = createDeferred<string>();
    const hung: ToolContext[] = [];
    let running = 0;
    let mostRunning = 0;
    let gate = createDeferred<void>();
    const bench = useBench(subject, {
      budgets: { concurrentToolCalls: 200 },
      toolList: [
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
            // The last to come answers first.
            for (let i = index; i < of; i += 1) await new Promise(setImmediate);
            running -= 1;
            return index;
          },
        },
      ],
    });
    const { print, run } = bench;

    it.each([
      ['undefined', 'None'],
      ['date', "{'at': '2026-01-02T00:00:00.000Z'}"],
      ['missing', "{'b': [None]}"],
    ])('a result of %s is what JSON makes of it', async (name, shown) => {
      expect(await print(`print(await give(name=${JSON.stringify(name)}))`)).toBe(`${shown}\n`);
    });

    it.each([
      ['bigint', 'result.total'],
      ['cycle', 'result.self'],
      ['function', 'result.callback'],
      ['buffer', 'binary data'],
      ['nan', 'result[1]'],
      ['map', 'Map'],
      ['toJSON', 'result.at cannot be read: no clock'],
    ])('a result with a %s is a failure that says where', async (name, where) => {
      const code = `try:\n    await give(name=${JSON.stringify(name)})\nexcept ToolError as error:\n    print(error.type, error.message)`;
      const text = await print(code);
      expect(text).toMatch(/^InvalidResult /);
      expect(text).toContain(where);
    });

    it.each([
      ['error', 'the database is down'],
      ['string', 'just a string'],
      ['null', 'null'],
      ['empty message', 'Error'],
      ['getter bomb', 'cannot be shown'],
      ['frozen', 'out of range'],
      ['odd message', '5'],
      ['with a cause', 'no file'],
      ['python-like', '__PTC_END_RESULT__ "quoted" \u2028 🙂'],
    ])(
      'a tool that throws %s raises a ToolError that the code can catch',
      async (name, message) => {
        for (const tool of ['fail', 'fail_later']) {
          const code = `try:\n    await ${tool}(name=${JSON.stringify(name)})\nexcept ToolError as error:\n    print(error.type, error.tool, error.message)`;
          const text = await print(code);
          expect(text).toMatch(new RegExp(`^Failed ${tool} `));
          expect(text).toContain(message);
          expect(text).not.toMatch(/node:|S3CRET|[.]ts/);
        }
      },
    );

    it('a tool that keeps its errors to the host tells the code no more than that it failed', async () => {
      const told: unknown[] = [];
      const code = `
try:
    await keep_quiet()
except ToolError as error:
    print(vars(error), error)
await keep_quiet()`;
      const result = await run(code, {
        onEvent: (event) => {
          if (event.type === 'tool-result') told.push(event.error);
        },
      });
      expect(result.stdout).toContain('the tool failed');
      expect(JSON.stringify(result)).not.toContain('S3CRET');
      const failure = { type: 'Failed', message: 'the password S3CRET is wrong' };
      expect(told).toEqual([failure, failure]);
    });

    it('a call that is made again, in its run or a later one, has an id of its own', async () => {
      const calls: string[] = [];
      const retry =
        'for _ in range(2):\n    try:\n        await hang()\n    except ToolError: pass';
      hung.length = 0;
      await run(retry);
      await run(retry);
      for (const { callId, sessionId } of hung) calls.push(`${sessionId} ${callId}`);
      expect(new Set(calls).size).toBe(4);
    });

    it('an uncaught ToolError names the tool and the reason, and the session lives on', async () => {
      const result = await run('kept_over_failure = 5\nawait fail(name="error")');
      expect(result).toMatchObject({
        status: 'error',
        sessionOpen: true,
        toolCalls: 1,
        error: {
          type: 'ToolError',
          message: 'fail failed (Failed): the database is down',
          line: 2,
        },
      });
      expect(await print('print(kept_over_failure)')).toBe('5\n');
    });

    it('one failure among parallel calls leaves the others their results', async () => {
      const code = `
import asyncio
results = await asyncio.gather(give(name="undefined"), fail(name="error"), give(name="date"), return_exceptions=True)
print([type(result).__name__ for result in results])`;
      expect(await print(code)).toBe("['NoneType', 'ToolError', 'dict']\n");
    });

    it('a ToolError can be pickled and raised again', async () => {
      const code = `
import pickle
try:
    await fail(name="error")
except ToolError as error:
    again = pickle.loads(pickle.dumps(error))
    print(again.type, again.tool, again.message)`;
      expect(await print(code)).toBe('Failed fail the database is down\n');
    });

    it('a tool that overruns its time, its signal ignored, raises; its late result is dropped', async () => {
      const code = `
try:
    await hang()
except ToolError as error:
    print(error.type, error.message)`;
      expect(await print(code)).toBe('Timeout no answer within 50 ms\n');
      expect(hung.at(-1)?.signal.aborted).toBe(true);
      late.resolve('too late');
      expect(await print('print(await give(name="undefined"))')).toBe('None\n');
    });

    it('twenty calls at once run at once, and each gets its own result in any order of answers', async () => {
      mostRunning = 0;
      gate = createDeferred();
      const code = `
import asyncio
print(await asyncio.gather(*(meet(index=i, of=20) for i in range(20))))`;
      const result = await run(code);
      expect(result.stdout).toBe(`[${Array.from({ length: 20 }, (_, i) => i).join(', ')}]\n`);
      expect(result.toolCalls).toBe(20);
      expect(mostRunning).toBe(20);
    });

    it('two hundred results that arrive together find their calls', async () => {
      mostRunning = 0;
      gate = createDeferred();
      const code = `
import asyncio
results = await asyncio.gather(*(meet(index=i, of=200) for i in range(200)))
print(results == list(range(200)))`;
      expect(await print(code)).toBe('True\n');
      expect(mostRunning).toBe(200);
    });

    it('tool calls and their results are told as events, in order', async () => {
      const events: unknown[] = [];
      await run(
        'await give(name="date")\ntry:\n    await fail(name="error")\nexcept ToolError: pass',
        {
          onEvent: (event) => events.push(event),
        },
      );
      expect(events).toMatchObject([
        { type: 'tool-call', toolName: 'give', arguments: { name: 'date' } },
        { type: 'tool-result', toolName: 'give', error: undefined },
        { type: 'tool-call', toolName: 'fail' },
        { type: 'tool-result', error: { type: 'Failed', message: 'the database is down' } },
      ]);
    });

    it('the program goes on printing while a call waits', async () => {
      const code = `
import asyncio
async def tick():
    print("meanwhile")
await asyncio.gather(give(name="undefined"), tick())
print("after")`;
      expect(await print(code)).toBe('meanwhile\nafter\n');
    });
  });
}
