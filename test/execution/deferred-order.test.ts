import { expect, it } from 'vitest';
import { PolicyGate } from '../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';
import { Till } from './batches/till.ts';

it('deferred calls that a program makes at once are asked about and made in its order, also if the first are larger', async () => {
  const happened: string[] = [];
  const amountOf = (input: unknown): number => (input as { amount: number }).amount;
  const pay = {
    name: 'pay',
    description: 'Pays.',
    inputSchema: { type: 'object' },
    whenAsked: 'defer',
    run: (input: unknown) => void happened.push(`pay ${amountOf(input)}`),
  } as const;
  const till = new Till(
    {},
    {
      tools: new ToolRegistry([pay]).snapshot(),
      policy: new PolicyGate({
        rules: [{ tool: 'pay', action: 'ask' }],
        approver: {
          ask: async () => ({ approved: false, reason: 'alone' }),
          askBatch: async ({ requests }) => {
            happened.push(...requests.map(({ arguments: sent }) => `ask ${amountOf(sent)}`));
            return { others: { approved: true } };
          },
        },
      }),
    },
  );
  const sizes = [1, 200_000, 100_000, 1];
  till.runner.say(
    ...sizes.map((size, amount) =>
      toolCall(String(amount), 'pay', { amount, text: 'x'.repeat(size) }),
    ),
  );
  await till.answered(sizes.length);
  till.runner.say(outcome());
  const { deferred } = await till.ended;
  expect(happened).toEqual([
    ...['ask 0', 'ask 1', 'ask 2', 'ask 3'],
    ...['pay 0', 'pay 1', 'pay 2', 'pay 3'],
  ]);
  expect(deferred?.map(({ callId }) => callId)).toEqual(['0', '1', '2', '3']);
});
