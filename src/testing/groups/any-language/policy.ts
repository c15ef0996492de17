import assert from 'node:assert/strict';
import { prints, type TestGroup } from '../../test-definition.ts';

/** Tool calls that a policy allows, denies or asks about. */
export function policy(): TestGroup {
  let removals = 0;
  const amount = (input: unknown): number => (input as { amount: number }).amount;
  return {
    name: 'policy',
    options: {
      policy: {
        rules: [
          { tool: 'remove_all', action: 'deny', reason: 'not on Saturdays' },
          { tool: 'pay', action: 'ask' },
        ],
        approver: async (request) =>
          amount(request.arguments) > 10
            ? { approved: false, reason: 'too much' }
            : { approved: true, arguments: { amount: amount(request.arguments) * 2 } },
      },
      tools: [
        {
          name: 'remove_all',
          description: 'Removes everything.',
          run: () => {
            removals += 1;
          },
        },
        {
          name: 'pay',
          description: 'Pays.',
          inputSchema: {
            type: 'object',
            properties: { amount: { type: 'integer' } },
            required: ['amount'],
          },
          run: amount,
        },
      ],
    },
    tests: [
      {
        title: 'a call that the policy denies does not happen, and the program learns why',
        programs: ['denied'],
        run: async (bench, program) => {
          removals = 0;
          await bench.check(program, {
            status: 'ok',
            stdout: 'remove_all failed (Denied): the policy denies it: not on Saturdays\n',
          });
          assert.equal(removals, 0);
        },
      },
      prints('a program goes on with what was approved, as it was edited', 'approved', '4\n'),
      prints(
        'a call that an approver rejects fails with the reason',
        'rejected',
        'pay failed (Rejected): it was not approved: too much\n',
      ),
      {
        title: 'decisions are reported as events',
        programs: ['approved'],
        run: async (bench, program) => {
          const decisions: string[] = [];
          await bench.check(
            program,
            { status: 'ok' },
            {
              onEvent: (event) => {
                if (event.type === 'approval-requested') decisions.push('requested');
                if (event.type === 'approval-decided') decisions.push(event.decision);
              },
            },
          );
          assert.deepEqual(decisions, ['requested', 'approved']);
        },
      },
    ],
  };
}
