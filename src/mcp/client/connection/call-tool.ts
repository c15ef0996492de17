import type { Client, specTypeSchemas } from '@modelcontextprotocol/client';
import type { ToolContext } from '../../../tools/tool.ts';
import type { ListedTool, McpClient } from '../mcp-client.ts';
import { requestOptions } from '../request-options.ts';

/** Calls a tool of one server, and resolves to its result. */
export type CallTool = (
  tool: ListedTool,
  input: Readonly<Record<string, unknown>>,
  context: ToolContext,
) => Promise<unknown>;

/** Calls tools with the function of a client for it, which can send arguments in headers, too. */
export function callsOf(client: McpClient): CallTool {
  return async ({ name, inputSchema }, input, context) =>
    client.callTool(
      { name, arguments: { ...input } },
      { ...requestOptions(context), toolDefinition: { name, inputSchema } },
    );
}

/**
 * Calls tools by plain requests of a client. They take less time than its function for calls, which
 * reads the whole schema of the tool and has the check of a result fail once before each call.
 * @param schemas - What the package of the client exports under this name.
 */
export function plainCallsOf(client: Client, schemas: typeof specTypeSchemas): CallTool {
  return async ({ name }, input, context) =>
    client.request(
      { method: 'tools/call', params: { name, arguments: { ...input } } },
      schemas.CallToolResult,
      requestOptions(context),
    );
}
