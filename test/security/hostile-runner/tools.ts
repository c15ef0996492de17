import { setTimeout as delay } from 'node:timers/promises';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import type { Ledger } from './ledger.ts';
import { SECRET } from './limits.ts';

/** The arguments of a call say the truth of who makes it: the runner's double puts it there. */
interface Claim {
  /** The session of the sandbox that sends the call. */
  readonly from?: unknown;
  /** Set where the call may not be carried out. */
  readonly forbidden?: unknown;
}

/** Tools that keep account of who calls them with what. */
export function watchedTools(ledger: Ledger): ToolRegistry {
  const watched =
    (tool: string, work: (input: Claim, context: ToolContext) => unknown) =>
    async (input: unknown, context: ToolContext): Promise<unknown> => {
      const claim = input as Claim;
      const sessionId = context.sessionId ?? '';
      if (claim.from !== undefined && claim.from !== sessionId) {
        ledger.wrongIdentities.push(
          `${tool}: of ${JSON.stringify(claim.from)}, taken for ${sessionId}`,
        );
      }
      if (claim.forbidden !== undefined) {
        ledger.forbiddenRuns.push(`${tool}: ${JSON.stringify(claim.forbidden)}`);
      }
      ledger.beginCall(sessionId, tool);
      try {
        return await work(claim, context);
      } finally {
        ledger.endCall(sessionId);
      }
    };
  return new ToolRegistry([
    {
      name: 'echo',
      description: 'Gives back.',
      inputSchema: { type: 'object' },
      run: watched('echo', (input) => ({ ...input })),
    },
    {
      name: 'strict',
      description: 'Takes a number from 1 to 5.',
      inputSchema: {
        type: 'object',
        properties: { n: { type: 'integer', minimum: 1, maximum: 5 } },
        required: ['n'],
        additionalProperties: false,
      },
      run: watched('strict', (input) => {
        const { n, ...others } = input as { n?: unknown };
        const fits = Number.isInteger(n) && Number(n) >= 1 && Number(n) <= 5;
        if (!fits || Object.keys(others).length > 0) {
          ledger.wrongArguments.push(JSON.stringify(input));
        }
        return null;
      }),
    },
    {
      name: 'slow',
      description: 'Takes its time, but no longer than anybody waits.',
      inputSchema: { type: 'object' },
      run: watched('slow', async (_input, { sessionId = '', signal }) => {
        const signals = ledger.signals.get(sessionId) ?? new Set();
        ledger.signals.set(sessionId, signals.add(signal));
        await delay(20, undefined, { signal }).catch(() => {});
        signals.delete(signal);
        return 'done';
      }),
    },
    {
      name: 'large',
      description: 'Has a large result.',
      run: watched('large', () => 'x'.repeat(30_000)),
    },
    {
      name: 'fails',
      description: 'Fails, and knows a secret.',
      run: watched('fails', () => {
        throw new Error('this tool fails', { cause: new Error(SECRET) });
      }),
    },
    {
      name: 'direct',
      description: `Not for code: ${SECRET}.`,
      allowedCallers: ['direct'],
      run: watched('direct', () => {
        ledger.forbiddenRuns.push('direct');
        return SECRET;
      }),
    },
  ]);
}
