#!/usr/bin/env node
// @ts-check
// Rules decide which calls run, which are refused, and which wait for a person's decision. While a
// program waits, it keeps all its variables, and its clock is stopped.
import assert from 'node:assert/strict';
import { ApprovalQueue, defineTool, SandboxExecutor, ToolRegistry } from 'sandboxed-ptc';
import * as z from 'zod';

/** @type {string[]} */
const transfers = [];

const tools = new ToolRegistry([
  defineTool({
    name: 'bank:pay',
    description: 'Pays an amount in euros.',
    inputSchema: z.object({ to: z.string(), amount: z.number().positive() }),
    run: ({ to, amount }) => {
      transfers.push(`${to} ${amount}`);
      return { paid: amount };
    },
  }),
]);

// A web page would list `queue.pending`, and its buttons would call `approve` and `reject`.
const queue = new ApprovalQueue({
  onRequest: ({ id, toolName, arguments: sent, labels, reason }) => {
    console.log(`asked for ${labels['user']}: ${toolName} ${JSON.stringify(sent)} (${reason})`);
    setImmediate(() => {
      const { to } = /** @type {{ to: string }} */ (sent);
      if (to === 'Ben') queue.reject(id, { reason: 'Ben was paid yesterday' });
      else queue.approve(id, { arguments: { to, amount: 250 } });
    });
  },
});

const executor = new SandboxExecutor({
  tools,
  policy: {
    // The first rule that matches a call decides.
    rules: [
      {
        tool: 'bank:*',
        when: ({ labels }) => labels['role'] !== 'clerk',
        action: 'deny',
        reason: 'only clerks pay',
      },
      {
        tool: 'bank:pay',
        when: (call) => /** @type {{ amount: number }} */ (call.input).amount >= 100,
        action: 'ask',
        reason: '100 euros or more',
      },
    ],
    approver: queue,
    approvalTimeoutMs: 60_000,
  },
  onProgress: console.log,
});

const program = `for to, amount in (("Anna", 20), ("Ben", 300), ("Carla", 400)):
    try:
        print(to, await bank_pay(to=to, amount=amount))
    except ToolError as error:
        print(to, error.message)`;

try {
  const clerk = await executor.execute(program, { labels: { user: 'dana', role: 'clerk' } });
  console.log(clerk.stdout.trimEnd());
  const guest = await executor.execute(program, { labels: { user: 'eve', role: 'guest' } });
  console.log(guest.stdout.trimEnd());

  assert.match(
    clerk.stdout,
    /^Ben bank_pay failed \(Rejected\): it was not approved: Ben was paid yesterday$/m,
  );
  assert.match(
    guest.stdout,
    /^Anna bank_pay failed \(Denied\): the policy denies it: only clerks pay$/m,
  );
  assert.deepEqual(transfers, ['Anna 20', 'Carla 250']);
} finally {
  await executor.close();
}
