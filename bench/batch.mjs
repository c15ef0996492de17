// Measures what a batch of waiting calls costs this process, from the decision to the end of the program.

import { SandboxExecutor, ToolRegistry } from '../dist/index.js';
import { median, watchTurns } from './statistics.mjs';

/** As many as one batch can have. */
const CALLS = 1000;
const ROUNDS = 5;
const CODE = `import asyncio
print(sum(await asyncio.gather(*(pay(invoice=f"invoice {n}", amount=n) for n in range(${CALLS})))))`;
const PRINTED = `${(CALLS * (CALLS - 1)) / 2}\n`;

/** The processor time of this process for a batch that is decided, in ms. */
export async function batch(context) {
  let decidedAt;
  const times = await rounds(context, {
    onDecision: () => (decidedAt = process.cpuUsage()),
    run: async (program) => {
      await program();
      const { user, system } = process.cpuUsage(decidedAt);
      return (user + system) / 1000;
    },
  });
  return { value: median(times), notes: [`${CALLS} calls, all approved`] };
}

/** The longest that its event loop is held while a batch gathers, is decided, and its calls run, in ms. */
export async function batchTurn(context) {
  const turns = await rounds(context, {
    onDecision: () => {},
    run: async (program) => {
      const watched = watchTurns();
      await program();
      return watched.longest();
    },
  });
  return { value: median(turns) };
}

/** What `run` returns for each of some programs. */
async function rounds({ provider }, { onDecision, run }) {
  const approver = {
    ask: async () => ({ approved: false, reason: 'asked alone' }),
    askBatch: async ({ requests }) => {
      if (requests.length !== CALLS) throw new Error(`A batch of ${requests.length} calls`);
      onDecision();
      return { others: { approved: true } };
    },
  };
  const pay = {
    name: 'pay',
    description: 'Pays an invoice.',
    inputSchema: {
      type: 'object',
      properties: { invoice: { type: 'string' }, amount: { type: 'number' } },
      required: ['invoice', 'amount'],
    },
    run: ({ amount }) => amount,
  };
  const executor = new SandboxExecutor({
    provider,
    tools: new ToolRegistry([pay]),
    policy: { rules: [{ tool: 'pay', action: 'ask', group: 'program' }], approver },
    budgets: { concurrentToolCalls: CALLS },
  });
  try {
    const session = await executor.acquire();
    const program = async () => {
      const { stdout, status } = await session.execute(CODE);
      if (stdout !== PRINTED) throw new Error(`The program ended so: ${status}`);
    };
    const values = [];
    for (let round = 0; round < ROUNDS; round += 1) values.push(await run(program));
    return values;
  } finally {
    await executor.close();
  }
}
