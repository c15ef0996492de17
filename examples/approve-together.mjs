#!/usr/bin/env node
// @ts-check
// A program pays 40 invoices. A person sees them as one table before the first one is paid, and unticks three.
import assert from 'node:assert/strict';
import { ApprovalQueue, defineTool, SandboxExecutor } from 'sandboxed-ptc';
import * as z from 'zod';

const invoices = Array.from({ length: 40 }, (_, index) => ({
  invoice: `2026-${index + 1}`,
  supplier: ['Acme', 'Birch', 'Cobalt'][index % 3] ?? '',
  amount: 20 + ((index * 37) % 900),
}));

/** @type {string[]} */
const paid = [];

const tools = [
  defineTool({
    name: 'list_invoices',
    description: 'The invoices that are due.',
    annotations: { readOnlyHint: true },
    run: () => invoices,
  }),
  defineTool({
    name: 'pay',
    description: 'Pays an invoice, in euros.',
    inputSchema: z.object({ invoice: z.string(), amount: z.number().positive() }),
    run: ({ invoice }) => {
      paid.push(invoice);
      return 'paid';
    },
  }),
];

// The rows that a person unticks on a page.
const unticked = new Set([7, 8, 31]);

/** Shows a batch as a page would, and decides it. @param {import('sandboxed-ptc').ApprovalBatch} batch */
function decide({ id, program, requests }) {
  console.log(`Why: ${program.purpose}\n`);
  for (const { number, toolName, arguments: sent, line } of requests) {
    const tick = unticked.has(number) ? ' ' : 'x';
    console.log(
      `[${tick}] ${String(number).padStart(2)}  ${toolName} ${JSON.stringify(sent)}  line ${line}`,
    );
  }
  const rejected = requests.filter(({ number }) => unticked.has(number));
  const no = /** @type {const} */ ({ approved: false, reason: 'the goods have not arrived' });
  queue.decideBatch(id, {
    calls: Object.fromEntries(rejected.map((request) => [request.id, no])),
    others: { approved: true },
  });
}

const queue = new ApprovalQueue({ onBatch: (batch) => setImmediate(decide, batch) });

const executor = new SandboxExecutor({
  tools,
  policy: {
    rules: [{ tool: 'pay', action: 'ask', group: 'program', reason: 'money goes out' }],
    approver: queue,
  },
  onProgress: console.log,
});

const program = `import asyncio

async def settle(due):
    try:
        return await pay(invoice=due["invoice"], amount=due["amount"])
    except ToolError as error:
        return error.message

outcomes = await asyncio.gather(*(settle(due) for due in await list_invoices()))
print(outcomes.count("paid"), "paid")
print(*sorted(set(outcomes) - {"paid"}), sep="\\n")`;

try {
  const purpose = 'I pay all invoices that are due.';
  const { stdout } = await executor.execute(program, { purpose });
  console.log(`\n${stdout.trimEnd()}`);
  assert.equal(stdout.split('\n')[0], '37 paid');
  assert.equal(paid.length, 37);
  assert.ok(!paid.includes('2026-7') && !paid.includes('2026-8') && !paid.includes('2026-31'));
} finally {
  await executor.close();
}
