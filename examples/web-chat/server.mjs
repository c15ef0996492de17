#!/usr/bin/env node
// @ts-check
// A chat server with many conversations, one executor, events by SSE, and approvals by a second
// route. If the process is killed, nothing is lost. README.md explains each file.
//
//   node examples/web-chat/server.mjs
import { SandboxExecutor } from 'sandboxed-ptc';
import { Approvals } from './approvals.mjs';
import { Conversations } from './conversations.mjs';
import { openDatabase } from './database.mjs';
import { chooseModel } from './model.mjs';
import { Quota } from './quota.mjs';
import { makeServer } from './routes.mjs';
import { instructions, rules, shopTools } from './shop.mjs';

const { env } = process;
const database = await openDatabase(env.DATABASE ?? 'web-chat.db');
const approvals = new Approvals(database);

const executor = new SandboxExecutor({
  provider: /** @type {import('sandboxed-ptc').ProviderChoice} */ (env.PROVIDER ?? 'auto'),
  tools: shopTools(database, env.SUPPLIER_URL),
  policy: {
    rules,
    approver: approvals.queue,
    approvalTimeoutMs: Number(env.APPROVAL_TIMEOUT_MS ?? 300_000),
  },
  // If all are in use, an idle conversation loses its variables, but not its messages.
  maxSandboxes: 20,
  whenFull: { action: 'evict', timeoutMs: 60_000 },
  onProgress: console.error,
});

const model = chooseModel(env);
const conversations = new Conversations(database, {
  model,
  executor,
  instructions,
  // This includes the time that a program waits for approvals.
  runTimeoutMs: 15 * 60_000,
});

const provider = await executor.providerName();
const quota = new Quota({
  perMinute: Number(env.MESSAGES_PER_MINUTE ?? 60),
  atATime: Number(env.ANSWERS_AT_A_TIME ?? 3),
});
const hostNames = (env.HOST_NAMES ?? '').split(/[\s,]+/).filter((name) => name !== '');
const app = makeServer({ conversations, approvals, quota, hostNames });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close());
const address = await app.listen({ host: '127.0.0.1', port: Number(env.PORT ?? 3000) });
console.log(`Open ${address} (model: ${model.id}, provider: ${provider})`);

/**
 * Notifies readers, cancels programs and ends sandboxes. A second signal ends the process at once.
 */
async function close() {
  try {
    await app.close();
  } finally {
    await executor.close();
    database.close();
  }
}
