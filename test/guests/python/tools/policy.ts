import assert from 'node:assert/strict';
import { test, type TestGroup } from '../../../../src/testing/test-definition.ts';

/** Parallel tool calls in Python that a person must approve. */
export function pythonPolicy(): TestGroup {
  return {
    name: 'policy in Python',
    options: {
      policy: {
        rules: [{ tool: 'pay', action: 'ask' }],
        approver: async ({ arguments: sent }) => {
          const { amount } = sent as { amount: number };
          return amount > 10
            ? { approved: false, reason: 'too much' }
            : { approved: true, arguments: { amount: amount * 2 } };
        },
      },
      tools: [
        {
          name: 'pay',
          description: 'Pays.',
          inputSchema: {
            type: 'object',
            properties: { amount: { type: 'integer' } },
            required: ['amount'],
          },
          run: (input: unknown) => (input as { amount: number }).amount,
        },
      ],
    },
    tests: [
      test('each of several calls at once gets its own decision', async (bench) => {
        const code = `import asyncio
async def attempt(amount):
    try:
        return await pay(amount=amount)
    except ToolError as error:
        return error.type
print(await asyncio.gather(*(attempt(amount) for amount in (1, 20, 3))))`;
        assert.equal(await bench.print(code), "[2, 'Rejected', 6]\n");
      }),
    ],
  };
}
