// @ts-check
// An MCP server that looks numbers up in the table of its environment.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const table = new Map(Object.entries(JSON.parse(process.env['TABLE'] ?? '{}')));

serveStdio(() => {
  const server = new McpServer({ name: 'table', version: '1' });
  const definition = {
    description: 'Looks up the number of a fruit.',
    inputSchema: z.object({ name: z.string() }),
  };
  server.registerTool('look_up', definition, ({ name }) => ({
    content: [{ type: 'text', text: String(table.get(name)) }],
  }));
  return server;
});
