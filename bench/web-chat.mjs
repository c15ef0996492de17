// How long a user of examples/web-chat waits for the first event of an answer, alone and as one of 60 at the same time.
//
//   npm run --silent build && node bench/web-chat.mjs [--users 60] [--rounds 5] [--model-ms 0] [--sandbox bubblewrap]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startOfflineModel } from '../dist/models/offline-server.js';
import { quantile } from './statistics.mjs';

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '5' },
    // How long the model takes to begin each answer. With 0 it is the server alone that is measured.
    'model-ms': { type: 'string', default: '0' },
    sandbox: { type: 'string', default: 'bubblewrap' },
  },
});
const users = Number(values.users);
const rounds = Number(values.rounds);

const CODE = 'for product in await list_products():\n    print(product["name"], product["price"])';

/** Has a program run for each message, and then answers. */
const model = await startOfflineModel(async ({ messages }) => {
  await delay(Number(values['model-ms']));
  const last = messages.at(-1).content;
  const hasResult = Array.isArray(last) && last.some(({ type }) => type === 'tool_result');
  if (hasResult) return { content: [{ type: 'text', text: 'Done.' }], stopReason: 'end_turn' };
  const call = { type: 'tool_use', id: `toolu_${messages.length}`, name: 'execute_code' };
  const content = [
    { type: 'text', text: 'Let me see.' },
    { ...call, input: { code: CODE } },
  ];
  return { content, stopReason: 'tool_use' };
});
const directory = await mkdtemp(join(tmpdir(), 'ptc-bench-'));
const server = spawn(process.execPath, [resolve('examples/web-chat/server.mjs')], {
  env: {
    ...process.env,
    PORT: '0',
    DATABASE: join(directory, 'chat.db'),
    SANDBOX: values.sandbox,
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_BASE_URL: model.baseUrl,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [line] = await once(createInterface(server.stdout), 'line');
  const [, address] = /^Open (\S+)/.exec(line);
  // What a process does once is not a user's.
  await talk(await openConversation(address, 'first'), 3);
  const alone = [];
  for (let index = 0; index < users; index += 1) {
    alone.push(...(await talk(await openConversation(address, `alone-${index}`), rounds)));
  }
  const open = [];
  for (let index = 0; index < users; index += 1) {
    open.push(await openConversation(address, `user-${index}`));
  }
  const together = (await Promise.all(open.map((one) => talk(one, rounds)))).flat();
  report(alone, together);
} finally {
  server.kill('SIGTERM');
  await once(server, 'exit');
  await model.close();
  await rm(directory, { recursive: true });
}

/** A user's new conversation. @returns what posts to it, and what closes the connection. */
async function openConversation(address, user) {
  // Each user has a connection, as a browser has. The pool behind `fetch` is shared: it may hold a request back until
  // another user has the whole answer.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { 'x-user': user, 'content-type': 'application/json' };
  const post = async (path, text) => {
    const sent = request(address + path, { method: 'POST', headers, agent });
    sent.end(JSON.stringify({ text }));
    const [response] = await once(sent, 'response');
    return response.setEncoding('utf8');
  };
  const created = await post('/conversations', 'Prices');
  const { id } = JSON.parse((await created.toArray()).join(''));
  return {
    say: async (text) => post(`/conversations/${id}/messages`, text),
    close: () => agent.destroy(),
  };
}

/** A user's messages, one after the other. @returns what each took, in milliseconds. */
async function talk({ say, close }, messages) {
  const times = [];
  for (let message = 0; message < messages; message += 1) {
    const start = performance.now();
    times.push(await readTimes(await say('What does all of it cost?'), start));
  }
  close();
  return times;
}

/** When the first event came, when the first text of the model, and when the answer was whole. */
async function readTimes(response, start) {
  const times = {};
  let text = '';
  for await (const chunk of response) {
    text += chunk;
    const now = performance.now() - start;
    if (text.includes('data: ')) times.firstEvent ??= now;
    if (text.includes('"text-delta"')) times.firstText ??= now;
    times.whole = now;
  }
  if (!text.includes('"run-end"')) throw new Error(`This message was not answered:\n${text}`);
  return times;
}

function report(alone, together) {
  console.log(`${users} users, ${rounds} messages each, one after the other and at the same time`);
  for (const name of ['firstEvent', 'firstText', 'whole']) {
    const [one, many] = [alone, together].map((times) => times.map((time) => time[name]));
    const figures = [0.5, 0.99].map((share) => {
      const [ofOne, ofMany] = [one, many].map((times) => quantile(times, share));
      const ratio = (ofMany / ofOne).toFixed(1);
      return `p${share * 100}: ${ofOne.toFixed(1)} ms alone, ${ofMany.toFixed(1)} ms together (${ratio})`;
    });
    console.log(`${name.padEnd(11)} ${figures.join('   ')}`);
  }
}
