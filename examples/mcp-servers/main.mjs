#!/usr/bin/env node
// @ts-check
// A program that uses the tools of two MCP servers, which a JSON file describes.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { SandboxExecutor, ToolRegistry } from 'sandboxed-ptc';
import { mcpTools, readMcpServers } from 'sandboxed-ptc/mcp';

const file = await readFile(new URL('servers.json', import.meta.url), 'utf8');
const environment = { ...process.env, EXAMPLE: import.meta.dirname };
const { servers } = readMcpServers(file, { environment });
const sources = await Promise.all(servers.map(mcpTools));

const tools = new ToolRegistry();
for (const source of sources) tools.addSource(source);
const executor = new SandboxExecutor({ tools, onProgress: console.log });

const PROGRAM = `
value = 0
for name in ["apples", "pears"]:
    value += int(await stock.look_up(name=name)) * int(await prices.look_up(name=name))
print(value)
`;

try {
  const { stdout } = await executor.execute(PROGRAM);
  console.log('The stock is worth', stdout.trimEnd());
  assert.equal(stdout, '19\n');
} finally {
  await executor.close();
  await Promise.all(sources.map((source) => source.close()));
}
