import { PtcError } from '../../shared/errors.ts';
import { nearestName } from '../../shared/nearest-name.ts';
import { warn } from '../../shared/process-warning.ts';
import type { ToolSet } from '../registry/tool-set.ts';
import type { Tool } from '../tool.ts';
import { hasAnnotations } from '../annotations.ts';
import { matchesTool, namesOf, originalRule, type PolicyRule } from './policy.ts';

/** The most names of tools in a message. */
const MAX_SHOWN_NAMES = 10;

/** The rules, as they were given, about which the process was warned. */
const warned = new WeakSet<PolicyRule>();

export interface RuleUse {
  /**
   * All tools that the rules may name. If there are none at all, nothing is checked, because nothing
   * can be called.
   */
  readonly sets: readonly ToolSet[];
  /**
   * Whether the rules are about to be used. Otherwise nothing is checked if a set can still get
   * tools, except for the names of tools' functions.
   */
  readonly areUsed: boolean;
}

/**
 * Refuses rules that name a tool that does not exist, because what they deny or ask about would be
 * allowed. A prefix may be meant for tools that do not exist yet, so it only causes a warning of
 * the process, once for each rule. So do annotations that none of the named tools has.
 * @throws PtcError `OPTION_INVALID`.
 */
export function checkRuleNames(rules: readonly PolicyRule[], { sets, areUsed }: RuleUse): void {
  const areKnown = areUsed || sets.every((set) => !canGrow(set));
  for (const [index, rule] of rules.entries()) {
    const option = `policy.rules[${index}].tool`;
    const unmatched = namesOf(rule).filter((name) => !sets.some((set) => hasMatch(set, name)));
    if (unmatched.length === 0) {
      if (areKnown && !isForSome(rule, sets)) {
        warnOnce(rule, () => warnOfAnnotations(index, rule));
      }
      continue;
    }
    const tools = sets.flatMap((set) => set.list());
    for (const name of unmatched) checkFunctionName(option, name, tools);
    if (!areKnown || tools.length === 0) continue;
    const known = [...new Set(tools.map((tool) => tool.name))];
    for (const name of unmatched) {
      if (!name.endsWith('*')) throw noSuchTool(option, name, known);
    }
    warnOnce(rule, () => {
      for (const prefix of unmatched) warnOfPrefix(option, prefix, known);
    });
  }
}

/** Whether a tool that the rule names has the annotations that it asks for. */
function isForSome(rule: PolicyRule, sets: readonly ToolSet[]): boolean {
  const { annotations } = rule;
  if (annotations === undefined) return true;
  const isFor = (tool: Tool): boolean =>
    namesOf(rule).some((pattern) => matchesTool(pattern, tool.name)) &&
    hasAnnotations(tool.annotations, annotations);
  return sets.some((set) => set.list().some(isFor));
}

function warnOnce(rule: PolicyRule, emit: () => void): void {
  const original = originalRule(rule);
  if (warned.has(original)) return;
  warned.add(original);
  emit();
}

/** A set that cannot is its own copy. */
function canGrow(set: ToolSet): boolean {
  return set.snapshot() !== set;
}

function hasMatch(set: ToolSet, pattern: string): boolean {
  return pattern.endsWith('*')
    ? set.list().some(({ name }) => matchesTool(pattern, name))
    : set.get(pattern) !== undefined;
}

/** @throws PtcError `OPTION_INVALID`. */
function checkFunctionName(option: string, pattern: string, tools: readonly Tool[]): void {
  const meant = tools.find(({ identifier }) => matchesTool(pattern, identifier))?.name;
  if (meant === undefined) return;
  const what = `is the name that programs use for the tool ${shown(meant)}; use that name in rules`;
  throw invalid(option, `${what}: ${shown(pattern)}.`, pattern, meant);
}

function noSuchTool(option: string, name: string, known: readonly string[]): PtcError {
  const meant = nearestName(name, known);
  const list = known.slice(0, MAX_SHOWN_NAMES).map(shown).join(', ');
  const all = known.length > MAX_SHOWN_NAMES ? `${list}, …` : list;
  const advice = meant === undefined ? `The tools are ${all}.` : `Did you mean ${shown(meant)}?`;
  const later = 'If the tool is registered later, see docs/policy.md.';
  return invalid(option, `names no tool: ${shown(name)}. ${advice} ${later}`, name, meant);
}

function warnOfPrefix(option: string, pattern: string, known: readonly string[]): void {
  const prefix = pattern.slice(0, -1);
  const meant = nearestName(prefix, [
    ...new Set(known.map((name) => name.slice(0, prefix.length))),
  ]);
  const advice = meant === undefined ? '' : ` Did you mean ${shown(`${meant}*`)}?`;
  warn(`${option} matches no tool: ${shown(pattern)}.${advice}`, 'PTC_RULE_UNUSED');
}

function warnOfAnnotations(index: number, { annotations }: PolicyRule): void {
  const what = JSON.stringify(annotations);
  const message = `policy.rules[${index}] applies to no tool: none of those that it names has the annotations ${what}. A tool that does not give a hint is not a match for it.`;
  warn(message, 'PTC_RULE_UNUSED');
}

function invalid(option: string, what: string, value: string, meant: string | undefined): PtcError {
  return new PtcError('OPTION_INVALID', `${option} ${what}`, {
    details: { option, value, ...(meant !== undefined && { meant }) },
  });
}

/** Text on one line, without control characters. */
function shown(text: string): string {
  return JSON.stringify(text);
}
