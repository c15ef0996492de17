#!/usr/bin/env node
// @ts-check
// A chat server: many conversations, one executor, events by SSE, approvals by a second route, and nothing lost if the
// process is killed. README.md says what each file is for.
//
//   node examples/web-chat/server.mjs
import { SandboxExecutor } from 'sandboxed-ptc';
import { Approvals } from './approvals.mjs';
import { Conversations } from './conversations.mjs';
import { openDatabase } from './database.mjs';
import { chooseModel } from './model.mjs';
import { makeServer } from './routes.mjs';
import { instructions, rules, shopTools } from './shop.mjs';

const { env } = process;
const database = await openDatabase(env.DATABASE ?? 'web-chat.db');
const approvals = new Approvals(database);

const executor = new SandboxExecutor({
  sandbox: /** @type {import('sandboxed-ptc').SandboxChoice} */ (env.SANDBOX ?? 'auto'),
  tools: shopTools(database, env.SUPPLIER_URL),
  policy: {
    rules,
    approver: approvals.queue,
    approvalTimeoutMs: Number(env.APPROVAL_TIMEOUT_MS ?? 300_000),
  },
  // If all are in use, a conversation that nobody waits for loses its variables, and not its messages.
  maxSandboxes: 20,
  whenFull: { policy: 'evict', timeoutMs: 60_000 },
  onProgress: console.error,
});

const model = chooseModel(env);
const conversations = new Conversations(database, {
  model,
  executor,
  instructions,
  // What a program may wait for people counts too.
  timeLimitMs: 15 * 60_000,
});

const sandbox = await executor.sandboxName();
const app = makeServer(conversations, approvals);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close());
const address = await app.listen({ host: '127.0.0.1', port: Number(env.PORT ?? 3000) });
console.log(`Open ${address} (model: ${model.id}, sandbox: ${sandbox})`);

/** Readers are told, programs cancelled, sandboxes ended. A second signal ends the process at once. */
async function close() {
  await app.close();
  await executor.close();
  database.close();
}
