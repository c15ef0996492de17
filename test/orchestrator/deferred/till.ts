import { appendFileSync } from 'node:fs';
import path from 'node:path';
import type { OrchestratorOptions } from '../../../src/orchestrator/orchestrator-options.ts';

/**
 * A tool whose calls are deferred, and an approver who approves all of them at once. Both write to files of a directory: what
 * was approved to `approved.txt`, and what was paid to `paid.txt`.
 * @param onPaid - Called before the tool returns.
 */
export function openTill(
  directory: string,
  onPaid: (amount: number) => unknown = () => {},
): Pick<OrchestratorOptions, 'tools' | 'policy'> {
  const note = (file: string, input: unknown): number => {
    const { amount } = input as { readonly amount: number };
    appendFileSync(path.join(directory, file), `${amount}\n`);
    return amount;
  };
  return {
    tools: [
      {
        name: 'pay',
        description: 'Pays.',
        inputSchema: { type: 'object', properties: { amount: { type: 'integer' } } },
        whenAsked: 'defer',
        run: async (input) => {
          await onPaid(note('paid.txt', input));
          return 'paid';
        },
      },
    ],
    policy: {
      rules: [{ tool: 'pay', action: 'ask' }],
      approver: {
        ask: async () => ({ approved: false, reason: 'not alone' }),
        askBatch: async ({ requests }) => {
          for (const { arguments: sent } of requests) note('approved.txt', sent);
          return { others: { approved: true } };
        },
      },
    },
  };
}
