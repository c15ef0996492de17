import assert from 'node:assert/strict';
import { heldSteps } from '../../held-steps.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

/** When the guest for Python says that a held program waits. */
export function pythonHeld(): TestGroup {
  return {
    name: 'held programs in Python',
    options: {},
    tests: [
      test('tasks that wait for calls are one wait, and each answer lets one go on', async (bench) => {
        const code = `
import asyncio
async def twice(x):
    return await look(x=await look(x=x))
print(await asyncio.gather(*(twice(x) for x in (1, 2, 3))))`;
        const { waits, result } = await heldSteps(bench, code, 1);
        assert.deepEqual(waits, [[1, 2, 3], [2, 3, 10], [3, 10, 20], [10, 20, 30], [20, 30], [30]]);
        assert.equal(result.stdout, '[100, 200, 300]\n');
      }),
      test('a program that computes after a call does not wait yet', async (bench) => {
        const code = `
import asyncio
first = asyncio.create_task(look(x=1))
for _ in range(100):
    await asyncio.sleep(0)
total = sum(range(3_000_000))
second = asyncio.create_task(look(x=2))
print(await first + await second)`;
        const { waits, result } = await heldSteps(bench, code);
        assert.deepEqual(waits, [[1, 2]]);
        assert.equal(result.stdout, '30\n');
      }),
      test('a program that waits for calls and a timer waits', async (bench) => {
        const code = `
import asyncio
timer = asyncio.create_task(asyncio.sleep(3600))
done, _ = await asyncio.wait({timer, asyncio.create_task(look(x=1))}, return_when=asyncio.FIRST_COMPLETED)
print(done.pop().result(), timer.cancel())`;
        const { waits, result } = await heldSteps(bench, code);
        assert.deepEqual(waits, [[1]]);
        assert.equal(result.stdout, '10 True\n');
      }),
      test('a program without asyncio waits, and one that is in asyncio.run', async (bench) => {
        const code = `
print(await look(x=1))
import asyncio
async def main():
    return [await look(x=2), *await asyncio.gather(look(x=3), look(x=4))]
print(asyncio.run(main()), await look(x=5))`;
        const { waits, result } = await heldSteps(bench, code);
        assert.deepEqual(waits, [[1], [2], [3, 4], [5]]);
        assert.equal(result.stdout, '10\n[20, 30, 40] 50\n');
      }),
      test('a call that was given up is not reported any more', async (bench) => {
        const code = `
import asyncio
given_up = asyncio.create_task(look(x=1))
await asyncio.sleep(0)
given_up.cancel()
print(await look(x=2))`;
        const { waits, result } = await heldSteps(bench, code);
        assert.deepEqual(waits, [[2]]);
        assert.equal(result.stdout, '20\n');
      }),
      test(
        'a thread that calls is waited for as the main thread is, also while that waits for the thread',
        async (bench) => {
          const code = `
import asyncio, threading
results = []
def work(x):
    results.append(asyncio.run(look(x=x)))
thread = threading.Thread(target=work, args=(1,))
thread.start()
thread.join()
await asyncio.gather(asyncio.to_thread(work, 2), asyncio.to_thread(work, 3), look(x=4))
print(sorted(results))`;
          const { waits, result } = await heldSteps(bench, code);
          assert.deepEqual(waits[0], [1]);
          assert.deepEqual(new Set(waits.flat()), new Set([1, 2, 3, 4]));
          assert.equal(result.stdout, '[10, 20, 30]\n');
        },
        { needs: 'threads' },
      ),
      test('the next program, which is not held, says nothing', async (bench) => {
        const code = 'import asyncio\nprint(await asyncio.gather(look(x=1), look(x=2)))';
        await heldSteps(bench, code);
        const tools = [
          {
            name: 'look',
            description: 'Looks.',
            inputSchema: { type: 'object', properties: { x: { type: 'integer' } } },
            run: (input: unknown) => (input as { x: number }).x,
          } as const,
        ];
        const result = await bench.run(code, { tools });
        assert.deepEqual([result.status, result.stdout], ['ok', '[1, 2]\n']);
      }),
    ],
  };
}
