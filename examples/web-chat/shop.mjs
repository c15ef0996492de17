// @ts-check
// The tools of a small shop. The model's programs call them as functions. `labels` says to which
// user a call's conversation belongs; the model cannot change that.
import { setTimeout as delay } from 'node:timers/promises';
import { defineTool, ToolRegistry } from 'sandboxed-ptc';
import * as z from 'zod';

const PRODUCTS = [
  { name: 'chair', price: 89 },
  { name: 'desk', price: 249 },
  { name: 'lamp', price: 39 },
  { name: 'shelf', price: 120 },
];

const product = z.enum(PRODUCTS.map(({ name }) => name));

export const instructions = `You are the assistant of a small shop for office furniture.
If it is not known whether an order was placed, look at list_orders before you order again.`;

/** Orders wait for the user's approval. Everything else runs at once. */
export const rules = [
  { tool: 'order', action: /** @type {const} */ ('ask'), reason: 'it costs money' },
];

/**
 * @param {import('sandboxed-ptc').SqliteDatabase} database
 * @param {string | undefined} supplierUrl where to ask for delivery times
 */
export function shopTools(database, supplierUrl) {
  const insert = database.prepare('INSERT INTO orders (user, product, quantity) VALUES (?, ?, ?)');
  const select = database.prepare('SELECT number, product, quantity FROM orders WHERE user = ?');

  return new ToolRegistry([
    defineTool({
      name: 'list_products',
      description: 'Returns all products, with prices in euros.',
      outputSchema: z.array(z.object({ name: z.string(), price: z.number() })),
      run: () => PRODUCTS,
    }),
    defineTool({
      name: 'delivery_days',
      description: 'Asks the supplier, which takes a while, in how many days a product arrives.',
      inputSchema: z.object({ product }),
      outputSchema: z.number(),
      run: async (input, { signal }) => askSupplier(supplierUrl, input.product, signal),
    }),
    defineTool({
      name: 'order',
      description: 'Orders a product for the user, who is asked first.',
      inputSchema: z.object({ product, quantity: z.number().int().min(1).max(20) }),
      run: (input, { labels }) => {
        insert.run(labels['user'], input.product, input.quantity);
        return { ordered: input.product, quantity: input.quantity };
      },
    }),
    defineTool({
      name: 'list_orders',
      description: 'Returns the orders of the user.',
      outputSchema: z.array(
        z.object({ number: z.number(), product: z.string(), quantity: z.number() }),
      ),
      run: (_input, { labels }) => select.all(labels['user']),
    }),
  ]);
}

/**
 * The signal fires if the reader disconnects, because nobody needs the answer then.
 * @param {string | undefined} url
 * @param {string} name
 * @param {AbortSignal} signal
 */
async function askSupplier(url, name, signal) {
  if (url === undefined) return delay(1000, name.length, { signal });
  const response = await fetch(`${url}/${name}`, { signal });
  if (!response.ok) throw new Error(`the supplier answered ${response.status}`);
  return response.json();
}
