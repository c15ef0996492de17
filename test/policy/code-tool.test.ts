import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import type { PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import type { ToolSource } from '../../src/tools/tool-source.ts';
import { describeWay, type OpenWay, type Way } from './describe-way.ts';
import { LABELS, type Shop } from './shop.ts';

const way: Way = {
  language: 'python',
  hasEvents: true,
  withoutApprover: /^OPTION_INVALID$/,
  open: async (shop, policy) => {
    const tool = shop.closesLater(codeTool({ executor: shop.executor(), labels: LABELS, policy }));
    return {
      run: async (code, onEvent) => (await tool.execute({ code }, { onEvent })).text,
    };
  },
};

describeWay('of a program of codeTool', way);

describeWay('of a tool of a source', {
  ...way,
  open: async (shop, policy) => {
    return withSource(shop, policy, { name: 'shop', tools: () => shop.goods as never });
  },
});

describeWay('of a tool of an MCP server', {
  ...way,
  open: async (shop, policy) => {
    const client = new Client({ name: 'test', version: '1' });
    const server = mcpShop(shop);
    const [input, output] = [new PassThrough(), new PassThrough()];
    await server.connect(new StdioServerTransport(input, output));
    await client.connect(new StdioServerTransport(output, input));
    for (const end of [server, client]) shop.closesLater(end);
    return withSource(shop, policy, shop.closesLater(await mcpTools({ name: 'shop', client })));
  },
});

/** Programs call the tools of a source. The policy is that of the executor. */
function withSource(shop: Shop, policy: PolicyOptions, source: ToolSource<unknown>): OpenWay {
  const tools = new ToolRegistry<unknown>(shop.others as never);
  tools.addSource(source);
  const tool = codeTool({ executor: shop.executor({ tools, policy }), labels: LABELS });
  shop.closesLater(tool);
  return { run: async (code, onEvent) => (await tool.execute({ code }, { onEvent })).text };
}

/** The official server with the tools of the shop, as JSON Schema describes them. */
function mcpShop(shop: Shop): McpServer {
  const mcpServer = new McpServer({ name: 'shop', version: '1' }, { capabilities: { tools: {} } });
  const { goods } = shop;
  mcpServer.server.setRequestHandler('tools/list', () => ({
    tools: goods.map(({ name, description, inputSchema, annotations }) => ({
      ...{ name, description, inputSchema: inputSchema as never },
      ...(annotations && { annotations }),
    })),
  }));
  mcpServer.server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = goods.find(({ name }) => name === params.name);
    const text = String(await tool?.run(params.arguments as never, {}));
    return { content: [{ type: 'text', text }] };
  });
  return mcpServer;
}
