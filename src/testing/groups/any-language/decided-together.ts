import assert from 'node:assert/strict';
import type { ExecutionResult } from '../../../execution/execution.ts';
import type { ToolDefinition } from '../../../tools/define-tool.ts';
import type {
  ApprovalBatch,
  BatchDecision,
  BatchedApproval,
} from '../../../tools/policy/batches/approval-batch.ts';
import type { TestGroup } from '../../test-definition.ts';

/** Calls that an approver decides together: those that wait at the same time, and those that are deferred. */
export function decidedTogether(): TestGroup {
  const batches: ApprovalBatch[] = [];
  /** What happened in the test, in order. */
  const happened: string[] = [];
  const pays = (name: string): ToolDefinition => ({
    name,
    description: 'Takes money.',
    inputSchema: {
      type: 'object',
      properties: { amount: { type: 'integer' } },
      required: ['amount'],
    },
    run: (input) => {
      happened.push(`${name} ${amountOf(input)}`);
      return amountOf(input);
    },
  });
  const forget = (): void => {
    batches.length = 0;
    happened.length = 0;
  };
  return {
    name: 'decided together',
    options: {
      policy: {
        rules: [
          { tool: 'charge', action: 'ask', group: 'program' },
          { tool: 'refund', action: 'ask' },
        ],
        approver: {
          ask: async () => ({ approved: false, reason: 'not alone' }),
          askBatch: async (batch) => {
            batches.push(batch);
            happened.push('asked');
            return decide(batch);
          },
        },
      },
      tools: [
        pays('charge'),
        { ...pays('refund'), whenAsked: 'defer' },
        { name: 'note', description: 'Notes.', run: () => void happened.push('note') },
      ],
    },
    tests: [
      {
        title:
          'calls that wait at the same time are asked together, with the program, and each is decided on its own',
        programs: ['together'],
        run: async (bench, program) => {
          forget();
          const rejected = 'charge failed (Rejected): it was not approved: not this one';
          await bench.check(program, { status: 'ok', stdout: `1\n${rejected}\n30\n4\n` });
          const requests = batches.flatMap((batch) => batch.requests);
          const amounts = requests.map(({ arguments: sent }) => amountOf(sent));
          assert.deepEqual(new Set(amounts), new Set([1, 2, 3, 4]));
          const [first] = batches;
          assert.equal(first?.program.code, program.code);
          assert.deepEqual(
            requests.map(({ line }) => line),
            [2, 2, 2, 2],
          );
          // A shell starts processes one after another, and nobody knows whether it waits.
          if (first.program.language === 'bash') return;
          assert.equal(batches.length, 1);
          assert.deepEqual(amounts, [1, 2, 3, 4]);
        },
      },
      {
        title:
          'deferred calls return a receipt at once, and are asked together and made in order when their program has ended',
        programs: ['deferred'],
        run: async (bench, program) => {
          forget();
          const result = await bench.check(program, { status: 'ok', stdout: '1\n2\n3\n4\n' });
          const [batch] = batches;
          assert.deepEqual(
            batch?.requests.map(({ arguments: sent }) => amountOf(sent)),
            [1, 2, 3, 4],
          );
          assert.equal(batch.program.code, program.code);
          assert.deepEqual(happened, ['note', 'asked', 'refund 1', 'refund 30', 'refund 4']);
          assert.deepEqual(outcomes(result), [
            '1 done 1',
            '2 not-made it was not approved: not this one',
            '3 done 30',
            '4 done 4',
          ]);
        },
      },
      {
        title: 'the deferred calls of a program that fails are neither asked about nor made',
        programs: ['deferredFailure'],
        run: async (bench, program) => {
          forget();
          const result = await bench.check(program, { status: 'error', stdout: '1\n' });
          assert.deepEqual(happened, []);
          assert.deepEqual(outcomes(result), ['1 not-made the program did not end well']);
        },
      },
    ],
  };
}

function amountOf(input: unknown): number {
  return (input as { amount: number }).amount;
}

/** Rejects the amount 2, makes 30 of 3, and approves the others. */
function decide({ requests }: ApprovalBatch): BatchDecision {
  const calls: Record<string, BatchedApproval> = {};
  for (const { id, arguments: sent } of requests) {
    if (amountOf(sent) === 2) calls[id] = { approved: false, reason: 'not this one' };
    if (amountOf(sent) === 3) calls[id] = { approved: true, arguments: { amount: 30 } };
  }
  return { calls, others: { approved: true } };
}

/** What came of each deferred call, such as `1 done 5`. */
function outcomes({ deferred = [] }: ExecutionResult): readonly string[] {
  return deferred.map(
    ({ number, outcome, result, error }) => `${number} ${outcome} ${result ?? error?.message}`,
  );
}
