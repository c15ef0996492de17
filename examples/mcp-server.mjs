#!/usr/bin/env node
// @ts-check
// An MCP server in a program of your own, and a client of it. Real clients are programs such as Claude Code.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { defineTool, SandboxExecutor } from 'sandboxed-ptc';
import { mcpServer } from 'sandboxed-ptc/mcp';

const listOrders = defineTool({
  name: 'list_orders',
  description: 'Returns the totals of all orders, in euros.',
  run: () => [120, 80, 45],
});

const executor = new SandboxExecutor({ tools: [listOrders], onProgress: console.log });
const server = mcpServer({ executor });
const client = new Client({ name: 'example', version: '1' });

try {
  const { url } = await server.listen({ port: 0 });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));

  /** @param {object} input */
  const run = async (input) => client.callTool({ name: 'execute_code', arguments: { ...input } });
  const first = await run({ code: 'orders = await list_orders()\nprint(sum(orders))' });
  console.log('first: ', first.structuredContent);
  const { output, session } = /** @type {Record<string, string>} */ (first.structuredContent);
  assert.equal(output, '245');

  const second = await run({ code: 'print(max(orders))', session });
  console.log('second:', second.content);
  assert.deepEqual(second.content, [{ type: 'text', text: '120' }]);
} finally {
  await client.close();
  await server.close();
  await executor.close();
}
