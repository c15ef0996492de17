import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createDeferred } from '../../../shared/async/deferred.ts';
import { expects, type TestGroup } from '../../test-definition.ts';

const AT_ONCE = 3;

/** Limits of what one run can ask of the host. */
export function budgets(): TestGroup {
  let running = 0;
  let mostRunning = 0;
  let together = createDeferred<void>();
  return {
    name: 'budgets',
    options: {
      budgets: {
        toolCalls: 20,
        concurrentToolCalls: AT_ONCE,
        callBytes: 70_000,
        callValues: 1000,
        receivedBytes: 200_000,
        sentBytes: 100_000,
      },
      tools: [
        { name: 'note', description: 'Answers.', run: () => 'noted' },
        {
          name: 'store',
          description: 'Takes text.',
          inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
          run: () => null,
        },
        { name: 'page', description: 'Gives 60 kB.', run: () => 'x'.repeat(60_000) },
        {
          name: 'look',
          description: 'Counts how many calls run at the same time.',
          run: async () => {
            running += 1;
            mostRunning = Math.max(mostRunning, running);
            if (running === AT_ONCE) together.resolve();
            await together.promise;
            // Gives a call above the limit time to arrive.
            for (let turn = 0; turn < 20; turn += 1) await nextTurn();
            running -= 1;
          },
        },
      ],
    },
    tests: [
      {
        title: 'a program that makes more calls than its budget is stopped, and its state stays',
        programs: ['manyCalls', 'showCount'],
        run: async (bench, calling, showing) => {
          await bench.check(calling, {
            status: 'budget-exceeded',
            errorMessage: 'limit of 20 (toolCalls)',
            sessionOpen: true,
          });
          await bench.check(showing, { status: 'ok', stdout: '20\n' });
        },
      },
      {
        title: 'more calls at a time than the budget wait for each other',
        programs: ['crowd'],
        run: async (bench, program) => {
          mostRunning = 0;
          together = createDeferred();
          await bench.check(program, { status: 'ok', toolCalls: 12 });
          assert.equal(mostRunning, AT_ONCE);
        },
      },
      expects('a call of more bytes than its budget fails in the program, unsent', 'largeCall', {
        status: 'ok',
        stdout: 'InvalidArguments\n',
        toolCalls: 0,
      }),
      expects('a program that sends more bytes than its budget is stopped', 'manyBytes', {
        status: 'budget-exceeded',
        errorMessage: 'limit of 200000 (receivedBytes)',
        sessionOpen: true,
      }),
      expects(
        'a program whose results take more bytes than its budget is stopped',
        'manyResultBytes',
        {
          status: 'budget-exceeded',
          errorMessage: 'limit of 100000 (sentBytes)',
          sessionOpen: true,
        },
      ),
    ],
  };
}
