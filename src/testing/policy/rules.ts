import type { Approval, Approver } from '../../tools/policy/approval.ts';
import type { PolicyRule } from '../../tools/policy/policy.ts';

/** The rules for the tools of `Shop`. */
export const RULES: readonly PolicyRule[] = [
  { tool: 'shop:close', action: 'deny', reason: 'not on Saturdays' },
  {
    tool: ['shop:pay', 'shop:sell'],
    when: ({ input }) => Number(input['amount']) > 100,
    action: 'deny',
    reason: 'too much',
  },
  {
    tool: 'shop:refund',
    when: ({ labels, input }) => labels['shop'] !== String(input['amount']),
    action: 'deny',
    reason: 'of another shop',
  },
  { tool: 'shop:*', annotations: { readOnlyHint: true }, action: 'allow' },
  { tool: ['shop:list', 'shop:count'], action: 'deny', reason: 'only reading' },
  { tool: ['shop:sell', 'shop:book'], action: 'ask', reason: 'a person looks' },
  { tool: 'shop:ship', action: 'ask', group: 'program', reason: 'a person looks' },
  { tool: 'shop:order', action: 'allow', maxCalls: { session: 2 } },
];

const DECISIONS: Readonly<Record<number, Approval>> = {
  1: { approved: true },
  2: { approved: false, reason: 'not this one' },
  3: { approved: true, arguments: { amount: 30 } },
  4: { approved: true, arguments: { amount: 'many' } },
  5: { approved: true, arguments: { amount: 500 } },
  6: { approved: true, grant: { calls: 100, fields: { amount: 6 } } },
};

/** Decides by the amount. */
function decisionAbout({ arguments: sent }: { readonly arguments: unknown }): Approval {
  return DECISIONS[(sent as { amount: number }).amount] ?? { approved: false, reason: 'unknown' };
}

/** Decides calls by their amounts. @param onBatch - Gets how many calls a batch has. */
export function approverOf(onBatch: (calls: number) => void): Approver {
  return {
    ask: async (request) => decisionAbout(request),
    askBatch: async ({ requests }) => {
      onBatch(requests.length);
      const calls = requests.map((request) => [request.id, decisionAbout(request)] as const);
      return { calls: Object.fromEntries(calls) };
    },
  };
}
