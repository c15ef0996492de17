import assert from 'node:assert/strict';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import { assertMatches } from '../../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

/** Programs in Python at the limits of what one run can ask of the host. */
export function pythonBudgets(): TestGroup {
  const hung: AbortSignal[] = [];
  const twoHang = createDeferred<void>();
  const threeMeet = createDeferred<void>();
  let meeting = 0;
  return {
    name: 'budgets in Python',
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
        { name: 'two_hang', description: 'Waits for that.', run: async () => twoHang.promise },
        {
          name: 'meet',
          description: 'Answers when three calls run at once.',
          run: async () => {
            meeting += 1;
            if (meeting === 3) threeMeet.resolve();
            await threeMeet.promise;
          },
        },
        { name: 'page', description: 'Gives 60 kB.', run: () => 'x'.repeat(60_000) },
      ],
    },
    tests: [
      test('calls that their program gives up end, and give their places free [case 114]', async (bench) => {
        const code = `import asyncio
async def give_up(call):
    try:
        await asyncio.wait_for(call, 0.05)
    except asyncio.TimeoutError:
        return "gave up"
calls = [asyncio.ensure_future(hang()) for _ in range(2)]
await two_hang()
# Only one of these gets a place at once.
calls += [hang() for _ in range(3)]
print(set(await asyncio.gather(*map(give_up, calls))))
print(await asyncio.gather(meet(), meet(), meet()))`;
        assert.equal(await bench.print(code), "{'gave up'}\n[None, None, None]\n");
        assert.ok(hung.length >= 2);
        assert.ok(hung.every((signal) => signal.aborted));
      }),
      test('a program whose results take more bytes than its budget is stopped', async (bench) => {
        const result = await bench.run('pages = []\nwhile True:\n    pages.append(await page())');
        assertMatches(result, {
          status: 'budget-exceeded',
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
        assert.deepEqual(
          { status, sessionOpen },
          { status: 'budget-exceeded', sessionOpen: false },
        );
        assert.equal(await bench.print('print("next")'), 'next\n');
      }),
    ],
  };
}
