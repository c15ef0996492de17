import type { Language } from '../languages/language.ts';
import type { ModelTool } from '../models/language-model.ts';
import { PtcError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
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
  languages: readonly Language[],
): string {
  const parts = instructions === undefined ? [] : [instructions.trim()];
  const codeTools = tools.forCaller('code');
  if (mode !== 'direct') {
    const titles = languages.map(({ title }) => title).join(', or ');
    parts.push(
      `You can run ${titles} with the tool ${EXECUTE_CODE}. Prefer one program that calls all the tools it needs, filters and sums up, over many small ones.`,
    );
    for (const { title, documentation } of codeTools.length > 0 ? languages : []) {
      const where = languages.length > 1 ? ` in ${title}` : '';
      parts.push(`Tools that your code can call${where}:\n\n${documentation(codeTools)}`);
    }
  }
  return parts.join('\n\n');
}

/**
 * The tools as the model's service gets them.
 * @throws PtcError `TOOL_NAME_CLASH` if a direct tool has the name of `execute_code`: in each mode, since a call by that
 *   name is one to run code.
 */
export function modelTools(
  tools: ToolRegistry,
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
  if (mode === 'direct') return direct;
  const executeCode: ModelTool = {
    name: EXECUTE_CODE,
    description: descriptionOf(languages),
    inputSchema: {
      type: 'object',
      properties: {
        ...(languages.length > 1 && { language: languageProperty(languages) }),
        code: { type: 'string', description: 'The program to run.' },
      },
      required: ['code'],
      additionalProperties: false,
    },
  };
  return [executeCode, ...direct];
}

function descriptionOf(languages: readonly Language[]): string {
  const [only] = languages;
  if (languages.length === 1 && only !== undefined) return only.executeCodeDescription;
  const parts = languages.map(
    ({ title, executeCodeDescription }) => `## ${title}\n\n${executeCodeDescription}`,
  );
  return [
    'Runs a program and returns what it prints. Each language keeps its own variables; they share the files in /tmp.',
    ...parts,
  ].join('\n\n');
}

function languageProperty(languages: readonly Language[]): JsonObject {
  const [first] = languages.map(({ name }) => name);
  return {
    type: 'string',
    enum: languages.map(({ name }) => name),
    description: `What the program is written in; ${first} where it is left out.`,
  };
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
