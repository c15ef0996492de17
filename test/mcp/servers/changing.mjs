// An MCP server whose first tools are its first argument, as JSON. A call of its tool `become` replaces them.
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const become = { name: 'become', description: 'Replaces.', inputSchema: { type: 'object' } };
let tools = JSON.parse(process.argv[2]);

const server = new Server(
  { name: 'changing', version: '1' },
  { capabilities: { tools: { listChanged: true } } },
);
server.setRequestHandler('tools/list', () => ({ tools: [...tools, become] }));
server.setRequestHandler('tools/call', async ({ params }) => {
  if (params.name === 'become') {
    ({ tools } = params.arguments);
    await server.sendToolListChanged();
  }
  return { content: [{ type: 'text', text: `did ${params.name}` }] };
});
await server.connect(new StdioServerTransport());
