import assert from 'node:assert/strict';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import { messageOf } from '../../../../src/shared/errors.ts';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

/** Calls for which the program does not wait any more. */
export function givenUpCalls(): TestGroup {
  const ended = createDeferred<string>();
  return {
    name: 'calls that are given up',
    options: {
      tools: [
        {
          name: 'work_until_stopped',
          description: 'Works until its signal fires.',
          run: async (_input, { signal }) => {
            const stopped = createDeferred<void>();
            signal.addEventListener('abort', () => stopped.resolve());
            await stopped.promise;
            ended.resolve(messageOf(signal.reason));
          },
        },
        {
          name: 'why_it_stopped',
          description: 'Waits until that tool has ended.',
          run: async () => ended.promise,
        },
      ],
    },
    tests: [
      test('their tool learns it while the program goes on', async (bench) => {
        const code = `
import asyncio
task = asyncio.create_task(work_until_stopped())
await asyncio.sleep(0)
task.cancel()
print(await why_it_stopped(), task.cancelled())`;
        assert.equal(await bench.print(code), 'the program no longer waits for this call True\n');
      }),
    ],
  };
}
