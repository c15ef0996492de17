import assert from 'node:assert/strict';
import { createDeferred } from '../../../shared/async/deferred.ts';
import { assertMatches } from '../../assert-matches.ts';
import { test, type TestGroup } from '../../test-definition.ts';

/** Programs in Python at the limits of what one run can ask of the host. */
export function pythonBudgets(): TestGroup {
  const hung: AbortSignal[] = [];
  const twoHang = createDeferred<void>();
  return {
    name: 'budgets in Python',
    languages: ['python'],
    options: {
      budgets: {
        toolCalls: 20,
        concurrentToolCalls: 3,
        sentBytes: 100_000,
      },
      tools: [
        { name: 'look', description: 'Gives 1.', run: () => 1 },
        {
          name: 'hang',
          description: 'Never answers, and ignores its signal.',
          // A call that its program gives up keeps its place until the tool’s time limit.
          timeoutMs: 2000,
          run: async (_input, { signal }) => {
            hung.push(signal);
            if (hung.length === 2) twoHang.resolve();
            await new Promise(() => {});
          },
        },
        {
          name: 'two_hang',
          description: 'Answers when two calls of the other tool have begun.',
          run: async () => twoHang.promise.then(() => null),
        },
        { name: 'page', description: 'Gives 60 kB.', run: () => 'x'.repeat(60_000) },
      ],
    },
    tests: [
      test('calls that their program gives up end, and give their places free', async (bench) => {
        const code = `import asyncio
begun = asyncio.ensure_future(two_hang())
calls = [asyncio.ensure_future(hang()) for _ in range(5)]
await begun
for call in calls: call.cancel()
await asyncio.wait(calls)
print(await look())`;
        assert.equal(await bench.print(code), '1\n');
        assert.ok(hung.length >= 2);
        assert.ok(hung.every((signal) => signal.aborted));
      }),
      test('a run whose results take more bytes than its budget is stopped', async (bench) => {
        const result = await bench.run('pages = []\nwhile True:\n    pages.append(await page())');
        assertMatches(result, {
          status: 'call-limit',
          success: false,
          sessionOpen: true,
          error: { message: /limit of 100000 \(sentBytes\)/, line: 3 },
        });
        assert.equal(await bench.print('print(len(pages))'), '1\n');
      }),
      test('a program that catches what stops it, and calls on, is ended with its session', async (bench) => {
        const { status, sessionOpen } = await bench.run(
          'while True:\n    try:\n        await look()\n    except BaseException:\n        pass',
        );
        assert.deepEqual({ status, sessionOpen }, { status: 'call-limit', sessionOpen: false });
        assert.equal(await bench.print('print("next")'), 'next\n');
      }),
    ],
  };
}
