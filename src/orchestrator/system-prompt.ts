import type { ModelTool } from '../models/language-model.ts';
import { PtcError } from '../shared/errors.ts';
import { given } from '../shared/given.ts';
import type { ToolSet } from '../tools/registry/tool-set.ts';
import type { Tool } from '../tools/tool.ts';
import { EXECUTE_CODE } from './code/code-tool-definition.ts';

/**
 * Which tools the model gets.
 * - `programmatic`: only `execute_code`, with the tools that code may call.
 * - `direct`: only the tools that may be called directly, without `execute_code`.
 * - `hybrid`: both.
 */
export type ToolMode = 'programmatic' | 'direct' | 'hybrid';

/** The parts of a system prompt. */
export interface PromptParts {
  /** The user's own instructions. */
  readonly instructions: string | undefined;
  /** How to use `execute_code`; undefined if the model does not have it. */
  readonly code: string | undefined;
  /** The instructions on the form of the final answer. */
  readonly output: string | undefined;
}

/** Builds the system prompt. The same parts give the same text, so that services can cache it. */
export function systemPrompt({ instructions, code, output }: PromptParts): string {
  return [instructions?.trim(), code, output].filter((part) => part !== undefined).join('\n\n');
}

/**
 * Returns the tools as the model's service gets them.
 * @param executeCode - The definition of `execute_code`.
 * @throws PtcError `TOOL_NAME_CLASH` if a direct tool is named `execute_code`. This applies in
 *   every mode, because a call with that name runs code.
 */
export function modelTools(tools: ToolSet, mode: ToolMode, executeCode: ModelTool): ModelTool[] {
  const direct = mode === 'programmatic' ? [] : tools.forCaller('direct').map(directTool);
  if (direct.some((tool) => tool.name === EXECUTE_CODE)) {
    throw new PtcError(
      'TOOL_NAME_CLASH',
      `A tool that the model calls directly cannot be named ${EXECUTE_CODE}: the model runs code by this name. Rename the tool.`,
    );
  }
  if (mode === 'direct') return direct;
  const { name, description, inputSchema } = executeCode;
  return [{ name, description, inputSchema }, ...direct];
}

/** Services accept only identifiers as tool names, so the model knows a tool by its identifier. */
function directTool(tool: Tool): ModelTool {
  return {
    name: tool.identifier,
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(tool.inputExamples.length > 0 && { inputExamples: tool.inputExamples }),
    ...given({ strict: tool.strict }),
  };
}
