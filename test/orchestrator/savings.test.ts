import { expect, it, vi } from 'vitest';
import { MemoryStore } from './store/stores.ts';
import { converse, runs, says } from './support.ts';

const inputSchema = { type: 'object', properties: { amount: { type: 'number' } } } as const;

it('savings are estimated by the arguments and results of tools that ran', async () => {
  const pay = { name: 'pay', description: 'Pays.', inputSchema, run: () => 'paid' };
  const refused = 'try:\n  await pay(amount="much")\nexcept ToolError:\n  pass';
  const { orchestrator } = converse([runs(`await pay(amount=12)\n${refused}`), says('Paid.')], {
    toolList: [pay],
    store: new MemoryStore(),
  });
  const stringify = vi.spyOn(JSON, 'stringify');
  const { toolCalls, savings } = await orchestrator.run('Pay.');
  const texts = stringify.mock.calls.filter(
    ([value]) => (value as { readonly amount?: unknown } | undefined)?.amount === 12,
  );
  stringify.mockRestore();
  expect(toolCalls).toBe(2);
  const { length } = '{"amount":12}"paid"';
  expect(savings.directTokens).toBe(Math.ceil(length / 4));
  // A program can make arguments of 1 MiB, and many of them.
  expect(texts).toHaveLength(1);
});
