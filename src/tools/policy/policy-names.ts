import type { OptionNames } from '../../shared/option-names.ts';
import type { PolicyRule } from './policy.ts';
import type { PolicyOptions } from './policy-gate.ts';

export const POLICY_NAMES: OptionNames<PolicyOptions> = {
  rules: 'array',
  approver: true,
  approvalTimeoutMs: 'number',
};

export const RULE_NAMES: OptionNames<PolicyRule> = {
  tool: true,
  when: 'function',
  action: true,
  reason: 'text',
};
