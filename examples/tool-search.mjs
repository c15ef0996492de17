#!/usr/bin/env node
// @ts-check
// Many tools of a source: the prompt does not list them, and the model's programs search for them.
import assert from 'node:assert/strict';
import { ProgrammaticToolOrchestrator, ToolRegistry } from 'sandboxed-ptc';
import { callTool, lastResult, modelOrScript } from './support/model.mjs';

const things = ['customer', 'order', 'invoice', 'refund', 'address', 'parcel', 'coupon', 'review'];
const parts = ['', '_note', '_file', '_tag', '_reminder', '_history'];

/** Such as `list_invoice_notes`, as a server may list them. */
const operations = things.flatMap((thing) =>
  parts.flatMap((part) =>
    ['list', 'create', 'update', 'delete'].map((verb) => {
      const words = `${thing}${part}`.replaceAll('_', ' ');
      return {
        name: `${verb}_${thing}${part}`,
        description: `${verb[0]?.toUpperCase()}${verb.slice(1)}s ${words}s of the shop. The id is that of the ${thing}.`,
        inputSchema: {
          type: 'object',
          properties: { id: { type: 'string' }, text: { type: 'string' } },
          required: ['id'],
        },
        /** @param {{ id: string, text?: string }} input */
        run: ({ id, text = '' }) => `${verb} ${words} ${id} ${text}`.trimEnd(),
      };
    }),
  ),
);

const tools = new ToolRegistry();
tools.addSource({ name: 'shop', tools: () => operations });

const model = modelOrScript([
  callTool('I look for a tool.', 'execute_code', {
    code: 'print(await search_tools("add a reminder to an invoice", limit=2))',
  }),
  callTool('Now I call it.', 'execute_code', {
    code: 'print(await shop.create_invoice_reminder(id="A-17", text="by Friday"))',
  }),
  (request) => [{ type: 'text', text: `Done: ${lastResult(request)}` }],
]);

const agent = new ProgrammaticToolOrchestrator({ model, tools });
let found = '';
try {
  const { text, toolCalls } = await agent.run('Remind me of the invoice A-17 by Friday.', {
    onEvent(event) {
      if (event.type === 'tool-call-ended' && event.toolName === 'search_tools') {
        found = JSON.parse(event.result ?? '""');
      }
    },
  });
  console.log(`${operations.length} tools, of which a search found:\n\n${found}\n\n${text}`);
  assert.match(found, /async def create_invoice_reminder\(id: str, text: str = \.\.\.\)/);
  assert.ok(toolCalls >= 2);
} finally {
  await agent.close();
}
