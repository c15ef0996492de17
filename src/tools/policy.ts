import { types } from 'node:util';
import { messageOf, PtcError } from '../shared/errors.ts';
import type { ToolCaller } from './tool.ts';

/** What a rule has done with a call: run it, refuse it, or have an approver decide. */
export type PolicyAction = 'allow' | 'deny' | 'ask';

/** What rules know of a call. */
export interface PolicyCall {
  readonly toolName: string;
  /** What the tool would get: validated, after the schema's defaults and transforms. */
  readonly arguments: unknown;
  readonly caller: ToolCaller;
  /** Chosen by who calls: unique within a run, and no secret. */
  readonly callId: string;
  /** The session whose code calls; undefined for a direct call. */
  readonly sessionId: string | undefined;
  /** The labels that the session was opened with, and over them those of the run. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface PolicyRule {
  /** Names of tools as they are registered (`db:drop`, not `db_drop`), `*`, or beginnings such as `db:*`. */
  readonly tool: string | readonly string[];
  /** Whether the rule is for this call; it must answer at once, with a boolean. @default every call of the tool */
  readonly when?: (call: PolicyCall) => boolean;
  readonly action: PolicyAction;
  /** Why, for whoever reads the refusal or the request: the model too. */
  readonly reason?: string;
}

/** What the rules say of a call. */
export interface PolicyVerdict {
  readonly action: PolicyAction;
  readonly reason: string | undefined;
  /** What is wrong with a rule that could not be asked, for the operator alone. */
  readonly fault?: string;
}

const ALLOWED: PolicyVerdict = { action: 'allow', reason: undefined };

/**
 * What the first rule says that is for this call. Where none is, the call is allowed: whoever registers
 * a tool for a caller has allowed it already, and rules take from that. A last rule
 * `{ tool: '*', action: 'deny' }` turns this round. A rule that throws, or that gives no boolean, such as
 * an async one, denies: nobody knows what it would have said.
 */
export function decide(rules: readonly PolicyRule[], call: PolicyCall): PolicyVerdict {
  for (const [index, rule] of rules.entries()) {
    if (!namesOf(rule).some((pattern) => matchesTool(pattern, call.toolName))) continue;
    try {
      const isFor: unknown = rule.when === undefined || rule.when(call);
      if (isFor === true) return { action: rule.action, reason: rule.reason };
      if (isFor !== false) return faulty(index, describeAnswer(isFor));
    } catch (error) {
      return faulty(index, `its \`when\` threw ${shown(messageOf(error))}`);
    }
  }
  return ALLOWED;
}

/** Whether a rule's name for tools is for this one. */
export function matchesTool(pattern: string, toolName: string): boolean {
  return pattern.endsWith('*') ? toolName.startsWith(pattern.slice(0, -1)) : pattern === toolName;
}

/** The names in a rule. */
function namesOf({ tool }: PolicyRule): readonly string[] {
  return typeof tool === 'string' ? [tool] : tool;
}

/** What the caller learns is no more than that; the fault may hold what is none of its business. */
function faulty(index: number, fault: string): PolicyVerdict {
  return {
    action: 'deny',
    reason: 'a rule for it could not be decided',
    fault: `Rule ${index} of the policy denied a call, because ${fault}.`,
  };
}

function describeAnswer(answer: unknown): string {
  if (!types.isPromise(answer)) return `its \`when\` gave ${typeof answer} and no boolean`;
  // Nobody waits for it any more.
  answer.catch(() => {});
  return 'its `when` is async; look up what it needs before, or use an approver';
}

const knownActions: ReadonlySet<unknown> = new Set<PolicyAction>(['allow', 'deny', 'ask']);

/**
 * Copies rules, so that nobody changes them later.
 * @throws PtcError `OPTION_INVALID` for one that could never do what it says.
 */
export function checkRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  if (!Array.isArray(rules)) throw invalid('policy.rules', 'is no array of rules', rules);
  return Object.freeze(rules.map((rule: PolicyRule, index) => checkRule(rule, index)));
}

function checkRule(rule: PolicyRule, index: number): PolicyRule {
  const option = `policy.rules[${index}]`;
  if (typeof rule !== 'object' || rule === null) throw invalid(option, 'is no object', rule);
  const { action, when, reason } = rule;
  for (const key of Object.keys(rule)) {
    // A misspelt `when` would make the rule one for every call.
    if (!['tool', 'when', 'action', 'reason'].includes(key)) {
      throw invalid(option, `has a field ${JSON.stringify(key)} that no rule has`, key);
    }
  }
  if (!knownActions.has(action)) {
    throw invalid(`${option}.action`, 'is not allow, deny or ask', action);
  }
  if (when !== undefined && typeof when !== 'function') {
    throw invalid(`${option}.when`, 'is no function', when);
  }
  if (reason !== undefined && typeof reason !== 'string') {
    throw invalid(`${option}.reason`, 'is no text', reason);
  }
  return Object.freeze({
    tool: checkNames(rule, `${option}.tool`),
    action,
    ...(when && { when }),
    ...(reason !== undefined && { reason }),
  });
}

function checkNames(rule: PolicyRule, option: string): readonly string[] {
  const names: unknown = namesOf(rule);
  if (!Array.isArray(names) || names.length === 0) {
    throw invalid(option, 'is neither a name nor an array of names', rule.tool);
  }
  return Object.freeze(names.map((name: unknown) => checkName(name, option)));
}

function checkName(name: unknown, option: string): string {
  if (typeof name !== 'string' || name.trim() === '') {
    throw invalid(option, 'has what is no tool name', name);
  }
  if (name.slice(0, -1).includes('*')) {
    throw invalid(
      option,
      'has a * that is not at the end; only there does it stand for more',
      name,
    );
  }
  return name;
}

/**
 * Refuses a rule for what code calls a tool where the tool has another name: it would be for no call at all.
 * @throws PtcError `OPTION_INVALID`.
 */
export function checkRuleNames(
  rules: readonly PolicyRule[],
  tools: readonly { readonly name: string; readonly identifier: string }[],
): void {
  for (const [index, rule] of rules.entries()) {
    for (const pattern of namesOf(rule)) {
      const meant = tools.find(({ identifier }) => matchesTool(pattern, identifier));
      if (meant === undefined || tools.some(({ name }) => matchesTool(pattern, name))) continue;
      const what = `is what code calls the tool ${JSON.stringify(meant.name)}; rules take that name`;
      throw invalid(`policy.rules[${index}].tool`, what, pattern);
    }
  }
}

function invalid(option: string, what: string, value: unknown): PtcError {
  const given = typeof value === 'string' ? shown(value) : typeof value;
  return new PtcError('OPTION_INVALID', `${option} ${what}: ${given}.`, {
    details: { option, value },
  });
}

/** Text that a program may have chosen, without control characters. */
function shown(text: string): string {
  return JSON.stringify(text);
}
