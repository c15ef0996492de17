import { ToolCallFailure } from '../../tools/tool-call-failure.ts';
import type { ListedTool, McpClient } from './mcp-client.ts';

const MAXIMUM_TOOLS = 5000;
/** Characters of JSON, of all definitions of a server. */
const MAXIMUM_SIZE = 10 * 2 ** 20;
/** A server that pages has at least a few tools on each page. */
const MAXIMUM_PAGES = 1000;

/** Lists the tools of a server, page by page, as long as they are within the limits. */
export async function listTools(
  client: McpClient,
  signal: AbortSignal,
): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  let size = 0;
  let cursor: string | undefined;
  for (let page = 1; page === 1 || cursor !== undefined; page++) {
    if (page > MAXIMUM_PAGES) throw tooMany(`more than ${MAXIMUM_PAGES} pages of tools`);
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, { signal });
    tools.push(...listed.tools);
    size += JSON.stringify(listed.tools).length;
    if (tools.length > MAXIMUM_TOOLS) throw tooMany(`more than ${MAXIMUM_TOOLS} tools`);
    if (size > MAXIMUM_SIZE) throw tooMany(`definitions of more than ${MAXIMUM_SIZE} characters`);
    cursor = listed.nextCursor;
  }
  return tools;
}

function tooMany(what: string): ToolCallFailure {
  return new ToolCallFailure('Unavailable', `the server lists ${what}, which is not allowed`);
}
