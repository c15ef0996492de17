import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import type { OpenWay, Way, WayParts, WayTool } from '../../src/testing/policy/way.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import type { ToolSource } from '../../src/tools/registry/tool-source.ts';
import { closedWith, describeWay, executorOf, splitTools } from './describe-way.ts';

const way: Way = {
  name: 'a program of codeTool',
  language: 'python',
  hasEvents: true,
  open: async (parts) => {
    const { labels, policy } = parts;
    const tool = closedWith(parts, codeTool({ executor: executorOf(parts), labels, policy }));
    return {
      run: async (code, onEvent) => (await tool.execute({ code }, { onEvent })).text,
    };
  },
};

describeWay(way);

describeWay({
  ...way,
  name: 'a program with tools of a source',
  open: async (parts) => {
    const { goods, others } = splitTools(parts.tools);
    return withSource(parts, others, { name: 'shop', tools: () => goods });
  },
});

describeWay({
  ...way,
  name: 'a program with tools of an MCP server',
  open: async (parts) => {
    const { goods, others } = splitTools(parts.tools);
    // The protocol has no word for calls that are deferred.
    const [deferring, served] = [
      parts.tools.filter(({ whenAsked }) => whenAsked === 'defer'),
      goods.filter(({ whenAsked }) => whenAsked !== 'defer'),
    ];
    const client = new Client({ name: 'test', version: '1' });
    const server = mcpShop(served);
    const [input, output] = [new PassThrough(), new PassThrough()];
    await server.connect(new StdioServerTransport(input, output));
    await client.connect(new StdioServerTransport(output, input));
    for (const end of [server, client]) closedWith(parts, end);
    const source = closedWith(parts, await mcpTools({ name: 'shop', client }));
    return withSource(parts, [...others, ...deferring], source);
  },
});

/** Programs call the tools of a source. The policy is that of the executor. */
function withSource(
  parts: WayParts,
  others: readonly WayTool[],
  source: ToolSource<unknown>,
): OpenWay {
  const { labels, policy } = parts;
  const tools = new ToolRegistry<unknown>(others);
  tools.addSource(source);
  const tool = codeTool({ executor: executorOf(parts, { tools, policy }), labels });
  closedWith(parts, tool);
  return { run: async (code, onEvent) => (await tool.execute({ code }, { onEvent })).text };
}

/** The official server with the tools of the shop, as JSON Schema describes them. */
function mcpShop(goods: readonly WayTool[]): McpServer {
  const mcpServer = new McpServer({ name: 'shop', version: '1' }, { capabilities: { tools: {} } });
  mcpServer.server.setRequestHandler('tools/list', () => ({
    tools: goods.map(({ name, description, inputSchema, annotations }) => ({
      ...{ name, description, inputSchema: inputSchema as never },
      ...(annotations && { annotations }),
    })),
  }));
  mcpServer.server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = goods.find(({ name }) => name === params.name);
    const text = String(await tool?.run(params.arguments));
    return { content: [{ type: 'text', text }] };
  });
  return mcpServer;
}
