import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

type InputRequest = ReturnType<typeof inputRequired.elicit>;

/**
 * A server whose tool `ask` asks for something, and returns the answer. It does so with a result in
 * the revision 2026-07-28, and with a request in those of 2025.
 */
export function askingServer(request: InputRequest): McpServer {
  const server = new McpServer({ name: 'asking', version: '1' });
  server.registerTool('ask', { inputSchema: z.object({}) }, (_input, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.['it'];
    if (answer === undefined) return inputRequired({ inputRequests: { it: request } });
    return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
  });
  return server;
}
