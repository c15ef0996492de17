import { PtcError } from '../../shared/errors.ts';
import { hasMethod, isRecord } from '../../shared/guards.ts';
import { invalidOption } from '../../shared/options/option-values.ts';
import { showValue } from '../../shared/show-value.ts';
import type { ToolOrDefinition } from '../define-tool.ts';
import { ToolRegistry } from './registry.ts';
import type { ToolSet } from './tool-set.ts';

/**
 * Tools as an option: a set of tools, or an array or another iterable of tools or definitions.
 * @typeParam Context - As for `ToolSet`.
 */
export type ToolsOption<Context = never> = ToolSet<Context> | Iterable<ToolOrDefinition<Context>>;

/**
 * Checks the option `tools`.
 * @throws PtcError `OPTION_INVALID` for a value that is not a set or an iterable of tools.
 */
export function checkTools(tools: unknown): void {
  if (tools === undefined || hasMethod(tools, 'snapshot')) return;
  if (typeof tools === 'object' && hasMethod(tools, Symbol.iterator)) return;
  throw invalidOption('tools', tools, 'an array of tools, or a ToolRegistry');
}

/**
 * The set of the tools of an option. It gets no more tools, unless it is the option itself.
 * @throws PtcError `TOOL_INVALID` or `TOOL_NAME_CLASH`, as `ToolRegistry`.
 */
export function toolSetOf<Context>(tools: ToolsOption<Context>): ToolSet<Context> {
  if (!(Symbol.iterator in tools)) return tools;
  const list = [...tools];
  const wrong = list.find((tool) => !isRecord(tool));
  if (wrong === undefined) return new ToolRegistry(list).snapshot();
  const message = `tools must be tools or definitions of tools, not ${showValue(wrong)}. Use defineTool.`;
  throw new PtcError('TOOL_INVALID', message);
}
