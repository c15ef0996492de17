#!/usr/bin/env node
// @ts-check
// Programs that call a tool again and again: what limits them, who is asked, and what the model is told.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { codeTool, defineTool, SandboxExecutor } from 'sandboxed-ptc';
import * as z from 'zod';

/** @type {string[]} */
const cart = [];

const tools = [
  defineTool({
    name: 'add_to_cart',
    description: 'Adds a product to the cart.',
    inputSchema: z.object({ product: z.string() }),
    // It writes, and each call adds one more. So a person is asked after 20 equal calls of a program.
    annotations: { readOnlyHint: false, idempotentHint: false },
    run: ({ product }) => cart.push(product),
  }),
  defineTool({
    name: 'place_order',
    description: 'Orders what is in the cart.',
    maxCalls: { program: 5 },
    run: () => `order of ${cart.length} products`,
  }),
  defineTool({
    name: 'get_price',
    description: 'Returns the price of a product.',
    inputSchema: z.object({ product: z.string() }),
    annotations: { readOnlyHint: true },
    run: async ({ product }) => {
      await delay(300);
      return product.length;
    },
  }),
];

const executor = new SandboxExecutor({
  tools,
  policy: {
    rules: [
      {
        tool: 'place_order',
        when: ({ labels }) => labels['plan'] === 'trial',
        action: 'allow',
        maxCalls: { session: 1 },
      },
    ],
    // A web page would ask a person.
    approver: async ({ toolName, arguments: sent, reason }) => {
      console.log(`asked: ${toolName} ${JSON.stringify(sent)} (${reason})`);
      return { approved: false, reason: 'nobody drinks so much tea' };
    },
  },
  onProgress: console.log,
});

/** @param {string} code @param {Record<string, string>} [labels] */
async function run(code, labels = {}) {
  const tool = codeTool({ executor, labels });
  const { text } = await tool.execute({ code });
  await tool.close();
  console.log(`${text}\n`);
  return text;
}

try {
  const loop = await run(`
for _ in range(221):
    await add_to_cart(product="tea")`);
  assert.match(loop, /add_to_cart failed \(Rejected\): .*nobody drinks so much tea/);
  assert.equal(cart.length, 20);

  const orders = `
for number in range(10):
    try:
        print(await place_order())
    except ToolError as error:
        print(number, error.message)
        break`;
  const customer = await run(orders);
  assert.match(customer, /^5 place_order failed \(LimitReached\): .*\(maxCalls\.program\)/m);
  const guest = await run(orders, { plan: 'trial' });
  assert.match(guest, /^1 place_order failed \(LimitReached\): .*\(maxCalls\.session\)/m);

  // Nothing is refused here, but the model learns how its next program can be quicker.
  const prices = await run(`
for product in ("tea", "coffee", "sugar", "milk", "flour", "rice"):
    print(product, await get_price(product=product))`);
  assert.match(prices, /^\[Hint: 6 calls of get_price, one after another, .* asyncio\.gather /m);
} finally {
  await executor.close();
}
