import { messageOf } from '../../shared/errors.ts';
import { LateInput } from '../../tools/late-input.ts';
import type { Approval, Approver } from '../../tools/policy/approval.ts';
import type { ApprovalRequest } from '../../tools/policy/approval-request.ts';
import {
  checkRules,
  decide,
  matchesTool,
  type PolicyCall,
  type PolicyRule,
} from '../../tools/policy/policy.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import { cutText } from '../../tools/schema/problems.ts';
import type { AiSdkCall } from '../sdk-types.ts';
import type { ConvertedTool } from '../tools/convert-tool.ts';

const REASON = 'the tool says that it needs approval (needsApproval)';

type Ask = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => Promise<Approval>;

/**
 * A policy that asks its approver also about calls of tools that need approval. What the rules deny
 * stays denied, and what they ask about is asked. Without an approver, a call that needs approval is
 * rejected.
 * @param callOf - The options of the AI SDK for a call, which `needsApproval` gets.
 */
export function withApprovals(
  policy: PolicyOptions | undefined,
  tools: readonly ConvertedTool[],
  callOf: (call: PolicyCall) => AiSdkCall,
): PolicyOptions | undefined {
  const guarded = new Map(
    tools.filter((one) => one.needsApproval !== undefined).map((one) => [one.tool.name, one]),
  );
  if (guarded.size === 0) return policy;
  const names = [...guarded.keys()];
  const rules = checkRules(policy?.rules ?? []);
  const own = policy?.approver;
  const askBatch = typeof own === 'object' ? own.askBatch?.bind(own) : undefined;
  const ask: Ask = async (request, options) => {
    const found = guarded.get(request.toolName);
    if (found !== undefined) {
      const read = await readInput(found, request);
      if ('problem' in read) return { approved: false, reason: read.problem };
      const call = { ...request, input: read.value };
      const isOfRules = decide(rules, call).action === 'ask';
      if (!isOfRules && !(await found.needsApproval?.(read.value, callOf(call)))) {
        return { approved: true };
      }
    }
    if (own === undefined) return { approved: false, reason: NO_APPROVER };
    return askOwn(own, request, options);
  };
  return {
    ...policy,
    rules: [
      ...rules.flatMap((rule) => [...asking(rule, names), rule]),
      { tool: names, action: 'ask', reason: REASON },
    ],
    // Only rules of the policy have a group, and what they ask about is asked.
    approver: askBatch === undefined ? ask : { ask, askBatch },
  };
}

const NO_APPROVER = 'it needs approval, and the policy has no approver';

/**
 * The rule that comes before one which allows: it asks about the tools that need approval. They give no
 * hints, so a rule with annotations allows none of them.
 */
function asking(rule: PolicyRule, names: readonly string[]): PolicyRule[] {
  if (rule.action !== 'allow' || rule.annotations !== undefined) return [];
  const patterns = [rule.tool].flat();
  const tool = names.filter((name) => patterns.some((pattern) => matchesTool(pattern, name)));
  return tool.length === 0 ? [] : [{ ...rule, tool, action: 'ask', reason: REASON }];
}

/** What the tool would get, or why it gets nothing: only now is it known if the schema is asynchronous. */
async function readInput(
  { tool }: ConvertedTool,
  request: Pick<ApprovalRequest, 'arguments'>,
): Promise<{ readonly value: unknown } | { readonly problem: string }> {
  const validation = tool.validateInput(request.arguments);
  if (!validation.valid) return { problem: validation.message };
  try {
    return { value: await LateInput.valueOf(validation.value) };
  } catch (error) {
    return { problem: cutText(messageOf(error), 300) };
  }
}

async function askOwn(approver: Approver, ...request: Parameters<Ask>): Promise<Approval> {
  return typeof approver === 'function' ? approver(...request) : approver.ask(...request);
}
