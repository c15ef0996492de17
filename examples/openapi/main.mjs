#!/usr/bin/env node
// @ts-check
// Programs call the operations of an HTTP service that has an OpenAPI document.
import assert from 'node:assert/strict';
import { SandboxExecutor, ToolRegistry } from 'sandboxed-ptc';
import { openApiTools } from 'sandboxed-ptc/openapi';
import { document, startService } from './service.mjs';

const key = 'secret-key-1'; // no program sees it
const service = await startService(key);
const tools = new ToolRegistry();
tools.addSource(openApiTools({ name: 'shop', document, baseUrl: service.baseUrl, auth: { key } }));
const executor = new SandboxExecutor({ tools, onProgress: console.log });

try {
  const { stdout } = await executor.execute(`
tea = await shop.listOrders(item="tea")
print("tea:", sum(order["total"] for order in tea), "euros")
print("order 2:", await shop.getOrder(id=2))
try:
    await shop.getOrder(id=9)
except ToolError as error:
    print(error)
`);
  console.log(stdout.trimEnd());
  assert.match(stdout, /^tea: 20 euros\norder 2: \{'id': 2, 'item': 'cups', 'total': 30\}\n.*404/);
} finally {
  await executor.close();
  service.close();
}
