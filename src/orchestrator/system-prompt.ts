import type { Language } from '../languages/language.ts';
import type { ModelTool } from '../models/language-model.ts';
import { PtcError } from '../shared/errors.ts';
import type { ToolSet } from '../tools/registry.ts';
import type { Tool } from '../tools/tool.ts';
import { codePrompt, codeToolDefinition, EXECUTE_CODE } from './code-tool-definition.ts';

/**
 * Which tools the model gets.
 * - `programmatic`: only `execute_code`, with the tools that code may call.
 * - `direct`: only the tools that may be called directly, and no `execute_code`.
 * - `hybrid`: both.
 */
export type ToolMode = 'programmatic' | 'direct' | 'hybrid';

/**
 * The system prompt: the same text for the same tools, so that services can cache it.
 * @param output - What is said of the final answer's form.
 */
export function systemPrompt(
  instructions: string | undefined,
  tools: ToolSet,
  mode: ToolMode,
  languages: readonly Language[],
  output?: string,
): string {
  const parts = instructions === undefined ? [] : [instructions.trim()];
  if (mode !== 'direct') parts.push(codePrompt(tools, languages));
  if (output !== undefined) parts.push(output);
  return parts.join('\n\n');
}

/**
 * The tools as the model's service gets them.
 * @throws PtcError `TOOL_NAME_CLASH` if a direct tool has the name of `execute_code`: in each mode, since a call by that
 *   name is one to run code.
 */
export function modelTools(
  tools: ToolSet,
  mode: ToolMode,
  languages: readonly Language[],
): ModelTool[] {
  const direct = mode === 'programmatic' ? [] : tools.forCaller('direct').map(directTool);
  if (direct.some((tool) => tool.name === EXECUTE_CODE)) {
    throw new PtcError(
      'TOOL_NAME_CLASH',
      `A tool that the model calls directly cannot be named ${EXECUTE_CODE}: that is how it runs code. Rename the tool.`,
    );
  }
  return mode === 'direct' ? direct : [codeToolDefinition(languages), ...direct];
}

/** Services take identifiers as tool names, so a tool goes by its identifier here too. */
function directTool(tool: Tool): ModelTool {
  return {
    name: tool.identifier,
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(tool.inputExamples.length > 0 && { inputExamples: tool.inputExamples }),
  };
}
