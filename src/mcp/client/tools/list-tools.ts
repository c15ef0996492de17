import { isRecord } from '../../../shared/guards.ts';
import { isNestedDeeper } from '../../../shared/json/nesting.ts';
import { ToolCallFailure } from '../../../tools/tool-call-failure.ts';
import type { ListedTool, McpClient, McpResultCheck, McpToolPage } from '../mcp-client.ts';
import { headerFault } from './parameter-headers.ts';

const MAXIMUM_TOOLS = 5000;
/** Characters of JSON, of all definitions of a server. */
const MAXIMUM_SIZE = 10 * 2 ** 20;
/** A server that pages has at least a few tools on each page. */
const MAXIMUM_PAGES = 1000;
/** Levels of one definition. What works on a deeper one recursively could exhaust the stack. */
const DEEPEST = 200;

/** A tool of a list. */
export interface ReceivedTool extends ListedTool {
  /** Why programs cannot have it, if that is known. */
  readonly fault?: string;
}

/**
 * Lists the tools of a server, page by page, as long as they are within the limits.
 * @param sendsHeaders - Whether arguments are sent in headers, too, if the server wants it.
 */
export async function listTools(
  client: McpClient,
  sendsHeaders: boolean,
  signal: AbortSignal,
): Promise<readonly ReceivedTool[]> {
  const tools: ReceivedTool[] = [];
  let size = 0;
  let cursor: string | undefined;
  for (let page = 1; page === 1 || cursor !== undefined; page++) {
    if (page > MAXIMUM_PAGES) throw tooMany(`more than ${MAXIMUM_PAGES} pages of tools`);
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, PAGE, { signal });
    tools.push(...(sendsHeaders ? listed.tools.map(withHeaderFault) : listed.tools));
    size += JSON.stringify(listed.tools).length;
    if (tools.length > MAXIMUM_TOOLS) throw tooMany(`more than ${MAXIMUM_TOOLS} tools`);
    if (size > MAXIMUM_SIZE) throw tooMany(`definitions of more than ${MAXIMUM_SIZE} characters`);
    cursor = listed.nextCursor;
  }
  return tools;
}

/** The check of the client itself fails with the whole list if one definition exhausts the stack. */
const PAGE: McpResultCheck<McpToolPage> = {
  '~standard': {
    version: 1,
    vendor: 'sandboxed-ptc',
    validate: (value) => {
      const { tools, nextCursor } = isRecord(value) ? value : {};
      if (!Array.isArray(tools) || !tools.every(isTool) || !isOptionalText(nextCursor)) {
        return { issues: [{ message: 'it is not a list of tools' }] };
      }
      return { value: { tools: tools.map(withoutDepth), nextCursor } };
    },
  },
};

function isTool(value: unknown): value is ListedTool {
  if (!isRecord(value)) return false;
  const { name, title, description, inputSchema, outputSchema } = value;
  return (
    typeof name === 'string' &&
    isOptionalText(title) &&
    isOptionalText(description) &&
    isRecord(inputSchema) &&
    inputSchema['type'] === 'object' &&
    (outputSchema === undefined || isRecord(outputSchema))
  );
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function withoutDepth(tool: ListedTool): ReceivedTool {
  if (!isNestedDeeper(tool, DEEPEST)) return tool;
  const { name } = tool;
  return { name, inputSchema: { type: 'object' }, fault: 'its definition is nested too deep' };
}

function withHeaderFault(tool: ReceivedTool): ReceivedTool {
  const fault = tool.fault ?? headerFault(tool.inputSchema);
  return fault === undefined ? tool : { ...tool, fault };
}

function tooMany(what: string): ToolCallFailure {
  return new ToolCallFailure('Unavailable', `the server lists ${what}, which is not allowed`);
}
