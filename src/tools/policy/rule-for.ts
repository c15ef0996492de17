import type { ToolRegistry } from '../registry/registry.ts';
import type { ToolsOption } from '../registry/tools-option.ts';
import type { Tool } from '../tool.ts';
import type { PolicyRule, RuleCall } from './policy.ts';

/**
 * A rule for tools that the compiler knows: `RuleFor<typeof tools>[]` is the type of rules that name
 * no other tools, and whose `when` gets an `input` with its type. It is `PolicyRule` if the name
 * of one of the tools is not known, as it is not for a definition without `defineTool`.
 * @typeParam Tools - An array of tools, or a registry that was made of one.
 */
export type RuleFor<Tools extends ToolsOption> = [ToolOf<Tools>] extends [
  Tool<never, never, infer Names>,
]
  ? string extends Names
    ? PolicyRule
    : NamesRule<Names> | NameRuleOf<ToolOf<Tools>>
  : PolicyRule;

/** The type of the tools in an array or in a registry. */
export type ToolOf<Tools extends ToolsOption> =
  Tools extends ToolRegistry<never, infer Each>
    ? Each
    : Tools extends Iterable<infer Each>
      ? Each
      : unknown;

/** The rules for each of these tools alone. */
export type NameRuleOf<Each> =
  Each extends Tool<never, infer Input, infer Name> ? NameRule<Name, Input> : never;

/** A rule for one tool. */
export interface NameRule<Name extends string, Input> extends Omit<PolicyRule, 'tool' | 'when'> {
  readonly tool: Name;
  /** As `PolicyRule.when`. */
  when?(this: void, call: RuleCall<{ readonly [Key in keyof Input]: Input[Key] }>): boolean;
}

/** A rule for several tools, or for those whose names have a prefix. */
export interface NamesRule<Name extends string> extends Omit<PolicyRule, 'tool'> {
  readonly tool: NamePattern | readonly (Name | NamePattern)[];
}

type NamePattern = `${string}*`;
