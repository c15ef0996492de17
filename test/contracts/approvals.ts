import { describe, expect, it } from 'vitest';
import { useBench, type Subject } from './subject.ts';

/** Calls that somebody else decides while the program waits. */
export function describeApprovals(subject: Subject): void {
  describe('approvals', () => {
    const bench = useBench(subject, {
      timeoutMs: 3000,
      policy: {
        rules: [{ tool: 'pay', action: 'ask' }],
        approver: async ({ arguments: sent }) => {
          const { amount } = sent as { amount: number };
          return amount > 10
            ? { approved: false, reason: 'too much' }
            : { approved: true, arguments: { amount: amount * 2 } };
        },
      },
      toolList: [
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
    });

    it('a program goes on with what was decided, and so does the next', async () => {
      const code = `try:
    print(await pay(amount=2))
    await pay(amount=20)
except ToolError as error:
    print(error.type, error.message)`;
      const printed = '4\nRejected it was not approved: too much\n';
      expect(await bench.print(code)).toBe(printed);
      expect(await bench.print(code)).toBe(printed);
    });

    it('calls that are made at once are decided one by one', async () => {
      const code = `import asyncio
async def attempt(amount):
    try:
        return await pay(amount=amount)
    except ToolError as error:
        return error.type
print(await asyncio.gather(*(attempt(amount) for amount in (1, 20, 3))))`;
      expect(await bench.print(code)).toBe("[2, 'Rejected', 6]\n");
    });
  });
}
