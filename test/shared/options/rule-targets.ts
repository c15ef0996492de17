import { ANNOTATION_NAMES } from '../../../src/tools/annotations.ts';
import { MAX_CALLS_NAMES, REPEATED_CALLS_NAMES } from '../../../src/tools/limits/count-limits.ts';
import { PolicyGate } from '../../../src/tools/policy/policy-gate.ts';
import type { Target } from './target.ts';

const PAGE = 'policy.md';

/** Makes a policy with a rule that has these fields. */
function gate(fields: object): PolicyGate {
  return new PolicyGate({ rules: [{ tool: 'a', action: 'allow', ...fields }] });
}

/** Those in a rule of a policy, by the name that errors give the object. */
export const RULE_TARGETS: Readonly<Record<string, Target>> = {
  'policy.rules[0].annotations': {
    names: ANNOTATION_NAMES,
    page: PAGE,
    base: { readOnlyHint: true },
    call: (annotations) => gate({ annotations }),
  },
  'policy.rules[0].maxCalls': {
    names: MAX_CALLS_NAMES,
    page: PAGE,
    base: { run: 1 },
    call: (maxCalls) => gate({ maxCalls }),
  },
  'policy.rules[0].repeatedCalls': {
    names: REPEATED_CALLS_NAMES,
    page: PAGE,
    base: { limit: 1, action: 'deny' },
    call: (repeatedCalls) => gate({ repeatedCalls }),
  },
};
