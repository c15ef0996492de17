import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { modelTools } from '../../../orchestrator/system-prompt.ts';
import { given } from '../../../shared/given.ts';
import { isRecord } from '../../../shared/guards.ts';
import type { JsonObject } from '../../../shared/json/json.ts';
import type { ToolSet } from '../../../tools/registry/tool-set.ts';
import type { ToolAnnotations } from '../../../tools/annotations.ts';
import type { Tool } from '../../../tools/tool.ts';
import { CODE_RESULT_SCHEMA, LONG_RESULT_SCHEMA } from '../calls/call-result.ts';
import type { Served } from '../served.ts';

const SESSION =
  'The session that an earlier result names, to continue with its variables and files. Left out, the program gets a new session.';
const SESSION_OF_PROGRAM = 'With `program`, send the session of that program.';

/** What is told of `execute_code`. */
export interface ListOptions extends Pick<Served, 'codeTool' | 'yieldAfterMs'> {
  /** Whether calls name the session in which a program runs. */
  readonly hasHandles: boolean;
}

/**
 * The tools as a client gets them: `execute_code`, and those that it can call directly.
 * @throws PtcError `TOOL_NAME_CLASH` if a direct tool is named `execute_code`.
 */
export function listTools(
  tools: ToolSet,
  { codeTool, yieldAfterMs, hasHandles }: ListOptions,
): ListedTool[] {
  const yields = yieldAfterMs !== undefined;
  const direct = new Map(tools.forCaller('direct').map((tool) => [tool.identifier, tool]));
  return modelTools(tools, 'hybrid', codeTool).map(({ name, description, inputSchema }) => {
    if (name !== codeTool.name) {
      return asListed({ name, description, inputSchema, ...directFields(direct.get(name)) });
    }
    return asListed({
      name,
      description: `${description}\n\n${codeTool.systemPrompt}`,
      inputSchema: hasHandles ? withSession(inputSchema, yields) : inputSchema,
      outputSchema: yields ? LONG_RESULT_SCHEMA : CODE_RESULT_SCHEMA,
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

function withSession(inputSchema: JsonObject, yields: boolean): JsonObject {
  const { properties } = inputSchema;
  return {
    ...inputSchema,
    properties: {
      ...(isRecord(properties) && properties),
      session: {
        type: 'string',
        description: yields ? `${SESSION} ${SESSION_OF_PROGRAM}` : SESSION,
      },
    },
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
