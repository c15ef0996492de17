import type { Client } from '@modelcontextprotocol/client';
import type { McpClient, McpResultCheck } from '../mcp-client.ts';

/**
 * A client that calls tools by plain requests. Its own `callTool` also sends arguments in headers and
 * checks output schemas, and has the check of the result fail once before each call, which takes a
 * fifth of the time that a call of a tool takes in the sandbox.
 * @param result - The check of a result that the package of the client exports.
 */
export function withPlainCalls(client: Client, result: McpResultCheck<unknown>): McpClient {
  return {
    request: client.request.bind(client),
    callTool: async (params, options) =>
      client.request({ method: 'tools/call', params }, result, options),
  };
}
