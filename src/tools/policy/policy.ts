import { isDeepStrictEqual, types } from 'node:util';
import { messageOf } from '../../shared/errors.ts';
import { isOfKind } from '../../shared/options/option-kinds.ts';
import { checkOptionNames, type OptionNames } from '../../shared/options/option-names.ts';
import { checkOneOf, invalidOption } from '../../shared/options/option-values.ts';
import { checkAnnotations, hasAnnotations, type ToolAnnotations } from '../annotations.ts';
import { checkCountLimits, COUNT_LIMIT_NAMES, type CountLimits } from '../limits/count-limits.ts';
import { LateInput } from '../late-input.ts';
import type { ToolCaller } from '../tool.ts';
import type { Labels } from '../../shared/labels.ts';

/** What a rule does with a call: run it, refuse it, or let an approver decide. */
export type PolicyAction = 'allow' | 'deny' | 'ask';

/** What rules know about a call. */
export interface PolicyCall {
  readonly toolName: string;
  /**
   * What the tool would get: the arguments after validation, with the schema's defaults and
   * transforms. If the schema validates asynchronously, as `zodSchema` of the AI SDK does, `when`
   * cannot read it, and a rule that tries to denies the call.
   */
  readonly input: unknown;
  readonly caller: ToolCaller;
  /** The caller's id of the call: unique within a program, and not a secret. */
  readonly callId: string;
  /** The session of the calling program; undefined for a direct call. */
  readonly sessionId: string | undefined;
  /** As `ToolContext.labels`. */
  readonly labels: Labels;
  /** What the tool says about its effects. */
  readonly annotations: ToolAnnotations;
}

/**
 * What `when` of a rule gets.
 * @typeParam Input - The type of what the tool would get.
 */
export interface RuleCall<Input = Readonly<Record<string, unknown>>> extends PolicyCall {
  /**
   * As `PolicyCall.input`. It is an object, unless a transform of the whole schema makes something
   * else of it.
   */
  readonly input: Input;
}

/**
 * Its `maxCalls` and `repeatedCalls` take the place of those of the tool, for the calls that the rule
 * allows or asks about.
 */
export interface PolicyRule extends CountLimits {
  /**
   * Names of tools as they are registered (`db:drop`, not `db_drop`), `*` for all, or prefixes such
   * as `db:*`. A name that no tool has is refused with `OPTION_INVALID`: at once, or with a
   * `ToolRegistry`, when a program begins. A prefix that no tool has causes a warning.
   */
  readonly tool: string | readonly string[];
  /**
   * The rule applies only to tools that have all these hints, with these values. A tool that does not
   * give a hint is not a match for it. Hints are what a tool says about itself: use them only to allow
   * what you would otherwise ask about, and only for tools whose author you trust.
   * @default the rule applies to all tools that `tool` names
   */
  readonly annotations?: ToolAnnotations;
  /**
   * Whether the rule applies to this call. Must return a boolean synchronously.
   * @default every call of the tool
   */
  when?(this: void, call: RuleCall): boolean;
  readonly action: PolicyAction;
  /**
   * With `program`, the calls of a program that wait at the same time are one request to the approver,
   * who decides each of them. Only with the action `ask`, and an approver that has `askBatch`.
   * @default each call is a request of its own
   */
  readonly group?: 'program';
  /** Why, for the model and the people who read the refusal or the request. */
  readonly reason?: string;
}

export const RULE_NAMES: OptionNames<PolicyRule> = {
  tool: true,
  annotations: true,
  when: 'function',
  action: true,
  group: true,
  reason: 'text',
  ...COUNT_LIMIT_NAMES,
};

/** The decision of the rules about a call. */
export interface PolicyVerdict {
  readonly action: PolicyAction;
  readonly reason: string | undefined;
  /** As `PolicyRule.group`. */
  readonly group?: 'program' | undefined;
  /** Those of the rule. @default those of the tool */
  readonly limits?: CountLimits | undefined;
  /** What is wrong with a rule that failed, for the operator only. */
  readonly fault?: string;
}

const ALLOWED: PolicyVerdict = { action: 'allow', reason: undefined };

/**
 * The decision of the first rule that applies to this call. If none applies, the call is allowed:
 * registering a tool for a caller allows it, and rules restrict that. To deny by default, end the
 * rules with `{ tool: '*', action: 'deny' }`. A rule that throws or does not return a boolean, such
 * as an async one, denies, because its decision is unknown.
 */
export function decide(rules: readonly PolicyRule[], call: PolicyCall): PolicyVerdict {
  for (const rule of rules) {
    if (!namesOf(rule).some((pattern) => matchesTool(pattern, call.toolName))) continue;
    if (!hasAnnotations(call.annotations, rule.annotations ?? {})) continue;
    try {
      const isFor: unknown = rule.when === undefined || applies(rule.when, call);
      if (isFor === true) return verdictOf(rule);
      if (isFor !== false) return faulty(rules.indexOf(rule), describeAnswer(isFor));
    } catch (error) {
      return faulty(rules.indexOf(rule), `its \`when\` threw ${shown(messageOf(error))}`);
    }
  }
  return ALLOWED;
}

/** @throws what `when` throws, and if it reads arguments that are not known yet. */
function applies(when: PolicyRule['when'] & {}, call: PolicyCall): unknown {
  if (!(call.input instanceof LateInput)) return when(call as RuleCall);
  let failure: Error | undefined;
  const isFor: unknown = when({
    ...call,
    get input(): never {
      failure = new Error(
        `the schema of ${call.toolName} validates asynchronously, so no rule can read the input; give the tool a schema that validates synchronously, such as one of zod without zodSchema`,
      );
      throw failure;
    },
  });
  // It may have caught the error.
  if (failure !== undefined) throw failure;
  return isFor;
}

function verdictOf(rule: PolicyRule): PolicyVerdict {
  const { action, group, reason, maxCalls, repeatedCalls } = rule;
  const hasLimits = maxCalls !== undefined || repeatedCalls !== undefined;
  return { action, reason, group, limits: hasLimits ? rule : undefined };
}

/** Whether a rule's tool name matches this tool. */
export function matchesTool(pattern: string, toolName: string): boolean {
  return pattern.endsWith('*') ? toolName.startsWith(pattern.slice(0, -1)) : pattern === toolName;
}

/** The names in a rule. */
export function namesOf({ tool }: PolicyRule): readonly string[] {
  return typeof tool === 'string' ? [tool] : tool;
}

/** The caller learns only this reason. The fault may contain what it must not see. */
function faulty(index: number, fault: string): PolicyVerdict {
  return {
    action: 'deny',
    reason: 'a rule that applies to it failed',
    fault: `Rule ${index} of the policy denied a call, because ${fault}.`,
  };
}

function describeAnswer(answer: unknown): string {
  if (!types.isPromise(answer))
    return `its \`when\` returned a value of type ${typeof answer}, not a boolean`;
  // Nothing waits for the promise.
  answer.catch(() => {});
  return 'its `when` is async; look up what it needs before, or use an approver';
}

/** Copies of rules, by the list of which they were made, and by themselves. */
const copies = new WeakMap<readonly PolicyRule[], readonly PolicyRule[]>();

/** The rules as they were given, by their copies. */
const originals = new WeakMap<PolicyRule, PolicyRule>();

/**
 * Copies rules, so that they cannot change later. As long as a list of rules does not change, it has
 * one copy, which what is cached for its rules goes by.
 * @throws PtcError `OPTION_INVALID` for a rule that could never work.
 */
export function checkRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  if (!Array.isArray(rules)) throw invalidOption('policy.rules', rules, 'an array of rules');
  const checked = Object.freeze(rules.map((rule: PolicyRule, index) => checkRule(rule, index)));
  const known = copies.get(rules);
  if (known !== undefined && isDeepStrictEqual(known, checked)) return known;
  copies.set(rules, checked);
  copies.set(checked, checked);
  return checked;
}

/** The rule as it was given, which can have several copies. */
export function originalRule(rule: PolicyRule): PolicyRule {
  return originals.get(rule) ?? rule;
}

function checkRule(rule: PolicyRule, index: number): PolicyRule {
  // It was checked, and cannot change.
  if (originals.has(rule)) return rule;
  const option = `policy.rules[${index}]`;
  // With a misspelt `when`, the rule would apply to every call.
  checkOptionNames(rule, { of: option, names: RULE_NAMES, page: 'docs/policy.md' });
  const { action, annotations, group, when, reason } = rule;
  checkOneOf(`${option}.action`, action, ['allow', 'deny', 'ask']);
  checkGroup(rule, option);
  const copy: PolicyRule = Object.freeze({
    tool: checkNames(rule, `${option}.tool`),
    action,
    ...(annotations !== undefined && {
      annotations: checkHints(annotations, `${option}.annotations`),
    }),
    ...(when && { when }),
    ...(group !== undefined && { group }),
    ...(reason !== undefined && { reason }),
    ...checkLimits(rule, option),
  });
  originals.set(copy, rule);
  return copy;
}

function checkGroup({ action, group }: PolicyRule, option: string): void {
  if (group === undefined) return;
  checkOneOf(`${option}.group`, group, ['program']);
  if (action === 'ask') return;
  const advice = `A rule with the action ${action} asks about no call. Remove group, or change the action.`;
  throw invalidOption(`${option}.group`, group, 'left out', advice);
}

function checkLimits(rule: PolicyRule, option: string): CountLimits {
  const limits = checkCountLimits(rule, `${option}.`, 'docs/policy.md');
  const [name] = Object.keys(limits);
  if (name === undefined || rule.action !== 'deny') return limits;
  const advice = `A rule with the action deny allows no call. Remove ${name}, or change the action.`;
  throw invalidOption(`${option}.${name}`, Object.values(limits)[0], 'left out', advice);
}

function checkHints(annotations: ToolAnnotations, option: string): ToolAnnotations {
  const hints = checkAnnotations(annotations, { of: option, page: 'docs/policy.md' });
  if (Object.keys(hints).length > 0) return hints;
  // The rule would apply to every tool that it names, which is more than its author can have meant.
  const advice = 'Without annotations, the rule applies whatever a tool says.';
  throw invalidOption(option, annotations, 'an object with at least one hint', advice);
}

function checkNames(rule: PolicyRule, option: string): readonly string[] {
  const names: readonly unknown[] = namesOf(rule);
  if (!isOfKind(names, 'array') || names.length === 0) {
    throw invalidOption(option, rule.tool, 'the name of a tool, or an array of names');
  }
  return Object.freeze(names.map((name: unknown) => checkName(name, option)));
}

function checkName(name: unknown, option: string): string {
  if (typeof name !== 'string' || name.trim() === '') {
    throw invalidOption(option, name, 'the name of a tool, or an array of names');
  }
  if (name.slice(0, -1).includes('*')) {
    const expected = 'a name with a * only at its end, where it stands for any characters';
    throw invalidOption(option, name, expected);
  }
  return name;
}

/** Text that a program may have chosen, without control characters. */
function shown(text: string): string {
  return JSON.stringify(text);
}
