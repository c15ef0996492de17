import type { ExecutionResult } from '../../../src/execution/execution.ts';
import type { SandboxExecutorOptions } from '../../../src/sessions/options/executor-options.ts';
import type { ApprovalRequest } from '../../../src/tools/policy/approval-request.ts';
import type { Approval } from '../../../src/tools/policy/approval.ts';
import type { PolicyOptions } from '../../../src/tools/policy/policy-gate.ts';

const amount = {
  type: 'object',
  properties: { to: { type: 'string' }, amount: { type: 'integer' } },
  required: ['amount'],
  additionalProperties: false,
} as const;

interface Payment {
  readonly to?: string;
  readonly amount: number;
}

/** A shop in which programs pay at the end, and what happened in it, in order. */
export interface Shop {
  readonly options: SandboxExecutorOptions & { readonly policy: PolicyOptions };
  readonly happened: string[];
}

/**
 * Amounts from 100 on are rejected, and the tool fails for 13.
 * @param decide - Decides the others. @default they are approved
 */
export function openShop(
  policy: Partial<PolicyOptions> = {},
  decide: (request: ApprovalRequest) => Promise<Approval> = async () => ({ approved: true }),
): Shop {
  const happened: string[] = [];
  const amountOf = ({ arguments: sent }: ApprovalRequest): number => (sent as Payment).amount;
  return {
    happened,
    options: {
      tools: [
        {
          name: 'pay',
          description: 'Pays.',
          inputSchema: amount,
          whenAsked: 'defer',
          run: (input) => {
            const paid = (input as Payment).amount;
            happened.push(`pay ${paid}`);
            if (paid === 13) throw new Error('no coverage');
            return { paid };
          },
        },
        {
          name: 'look',
          description: 'Looks.',
          run: () => {
            happened.push('look');
            return 1;
          },
        },
      ],
      policy: {
        rules: [{ tool: 'pay', action: 'ask', reason: 'money' }],
        approver: async (request) => {
          happened.push(`ask ${amountOf(request)}`);
          if (amountOf(request) >= 100) return { approved: false, reason: 'too much' };
          return decide(request);
        },
        ...policy,
      },
    },
  };
}

/** What came of each deferred call, such as `1 done`. */
export function outcomes({ deferred = [] }: ExecutionResult): readonly string[] {
  return deferred.map(({ number, outcome, error }) =>
    error === undefined ? `${number} ${outcome}` : `${number} ${outcome} ${error.type}`,
  );
}
