import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { CodeTool } from '../../../orchestrator/code/code-tool.ts';
import { modelTools } from '../../../orchestrator/system-prompt.ts';
import { given } from '../../../shared/given.ts';
import { isRecord } from '../../../shared/guards.ts';
import type { JsonObject } from '../../../shared/json/json.ts';
import type { ToolSet } from '../../../tools/registry.ts';
import type { ToolAnnotations } from '../../../tools/annotations.ts';
import type { Tool } from '../../../tools/tool.ts';
import { CODE_RESULT_SCHEMA } from '../calls/call-result.ts';

const SESSION: JsonObject = {
  type: 'string',
  description:
    'The session that an earlier result names, to continue with its variables and files. Left out, the program gets a new session.',
};

/**
 * The tools as a client gets them: `execute_code`, and those that it can call directly.
 * @param hasHandles - Whether calls name the session in which a program runs.
 * @throws PtcError `TOOL_NAME_CLASH` if a direct tool is named `execute_code`.
 */
export function listTools(tools: ToolSet, codeTool: CodeTool, hasHandles: boolean): ListedTool[] {
  const direct = new Map(tools.forCaller('direct').map((tool) => [tool.identifier, tool]));
  return modelTools(tools, 'hybrid', codeTool).map(({ name, description, inputSchema }) => {
    if (name !== codeTool.name) {
      return asListed({ name, description, inputSchema, ...directFields(direct.get(name)) });
    }
    return asListed({
      name,
      description: `${description}\n\n${codeTool.systemPrompt}`,
      inputSchema: hasHandles ? withSession(inputSchema) : inputSchema,
      outputSchema: CODE_RESULT_SCHEMA,
    });
  });
}

/**
 * The schema of a tool's results if they are objects. Clients of the revisions of 2025 accept no
 * others.
 */
export function objectSchemaOf({ outputSchema }: Tool): JsonObject | undefined {
  return outputSchema?.['type'] === 'object' ? outputSchema : undefined;
}

function directFields(tool: Tool | undefined): Pick<ListedFields, 'outputSchema' | 'annotations'> {
  const outputSchema = tool && objectSchemaOf(tool);
  const { annotations = {} } = tool ?? {};
  const isSilent = Object.keys(annotations).length === 0;
  return given({ outputSchema, annotations: isSilent ? undefined : annotations });
}

function withSession(inputSchema: JsonObject): JsonObject {
  const { properties } = inputSchema;
  return {
    ...inputSchema,
    properties: { ...(isRecord(properties) && properties), session: SESSION },
  };
}

interface ListedFields {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
}

/** The registry has checked that the schemas are those of objects. */
function asListed(tool: ListedFields): ListedTool {
  return tool as unknown as ListedTool;
}
