import type { Language } from '../languages/language.ts';
import type { ModelTool } from '../models/language-model.ts';
import { PtcError } from '../shared/errors.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { Tool } from '../tools/tool.ts';

/**
 * Which tools the model gets.
 * - `programmatic`: only `execute_code`, with the tools that code may call.
 * - `direct`: only the tools that may be called directly, and no `execute_code`.
 * - `hybrid`: both.
 */
export type ToolMode = 'programmatic' | 'direct' | 'hybrid';

export const EXECUTE_CODE = 'execute_code';

/** The system prompt: the same text for the same tools, so that services can cache it. */
export function systemPrompt(
  instructions: string | undefined,
  tools: ToolRegistry,
  mode: ToolMode,
  language: Language,
): string {
  const parts = instructions === undefined ? [] : [instructions.trim()];
  const codeTools = tools.forCaller('code');
  if (mode !== 'direct') {
    parts.push(
      `You can run ${LANGUAGE_NAMES[language.name]} with the tool ${EXECUTE_CODE}. Prefer one program that calls all the tools it needs, filters and sums up, over many small ones.`,
    );
    if (codeTools.length > 0) {
      parts.push(`Functions that your code can call:\n\n${language.documentation(codeTools)}`);
    }
  }
  return parts.join('\n\n');
}

const LANGUAGE_NAMES: Record<Language['name'], string> = { python: 'Python' };

/**
 * The tools as the model's service gets them.
 * @throws PtcError `TOOL_NAME_CLASH` where a direct tool has the name of `execute_code`.
 */
export function modelTools(tools: ToolRegistry, mode: ToolMode, language: Language): ModelTool[] {
  const direct = mode === 'programmatic' ? [] : tools.forCaller('direct').map(directTool);
  if (mode === 'direct') return direct;
  if (direct.some((tool) => tool.name === EXECUTE_CODE)) {
    throw new PtcError(
      'TOOL_NAME_CLASH',
      `A tool that the model calls directly cannot be named ${EXECUTE_CODE}: that is how it runs code. Rename the tool.`,
    );
  }
  const executeCode: ModelTool = {
    name: EXECUTE_CODE,
    description: language.executeCodeDescription,
    inputSchema: {
      type: 'object',
      properties: { code: { type: 'string', description: 'The program to run.' } },
      required: ['code'],
      additionalProperties: false,
    },
  };
  return [executeCode, ...direct];
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
