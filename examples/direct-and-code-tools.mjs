#!/usr/bin/env node
// @ts-check
// Two kinds of tools side by side: one that returns much data, which only code may call, and one
// with a side effect, which only the model may call, in an ordinary tool call that you can see and
// approve.
import assert from 'node:assert/strict';
import { defineTool, ProgrammaticToolOrchestrator, ToolRegistry } from 'sandboxed-ptc';
import * as z from 'zod';
import { callTool, lastResult, modelOrScript } from './support/model.mjs';

/** @type {string[]} */
const reminders = [];

const tools = new ToolRegistry([
  defineTool({
    name: 'list_invoices',
    description: 'Returns all invoices of a customer, with amounts in euros.',
    inputSchema: z.object({ customer: z.string() }),
    outputSchema: z.array(
      z.object({ number: z.string(), amount: z.number(), days_overdue: z.number() }),
    ),
    // This is the default. It is set here only to show it.
    allowedCallers: ['code'],
    run: ({ customer }) =>
      Array.from({ length: 200 }, (_, index) => ({
        number: `${customer}-${index + 1}`,
        amount: 100 + index,
        days_overdue: index % 50 === 0 ? 30 : 0,
      })),
  }),
  defineTool({
    name: 'send_reminder',
    description: 'Sends a payment reminder to a customer. Call it once a customer.',
    inputSchema: z.object({ customer: z.string(), text: z.string() }),
    allowedCallers: ['direct'],
    run: ({ customer, text }) => {
      reminders.push(`${customer}: ${text}`);
      return { sent: true };
    },
  }),
]);

const model = modelOrScript([
  callTool('I add up what is overdue.', 'execute_code', {
    code: `invoices = await list_invoices(customer="ACME")
overdue = [invoice for invoice in invoices if invoice["days_overdue"] > 0]
print(len(overdue), "invoices,", sum(invoice["amount"] for invoice in overdue), "euros")`,
  }),
  (request) =>
    callTool('Now the reminder.', 'send_reminder', {
      customer: 'ACME',
      text: `Overdue: ${lastResult(request)}`,
    }),
  (request) => [{ type: 'text', text: `The service answered: ${lastResult(request)}` }],
]);

/** @type {Record<string, string>} */
const callers = {};
const agent = new ProgrammaticToolOrchestrator({
  model,
  tools,
  executor: { onProgress: console.log },
});
try {
  const result = await agent.run('Remind ACME of all overdue invoices: how many, and the total.', {
    onEvent: (event) => {
      if (event.type !== 'tool-call-started') return;
      callers[event.toolName] = event.caller;
      console.log(
        `${event.toolName} was called by ${event.caller === 'code' ? 'code' : 'the model'}`,
      );
    },
  });
  console.log(result.text);
} finally {
  await agent.close();
}
console.log(reminders.join('\n'));
assert.deepEqual(callers, { list_invoices: 'code', send_reminder: 'direct' });
assert.match(reminders.join(), /\b4\b.*\b700\b/s, 'the reminder has the figures of the program');
