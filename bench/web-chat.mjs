// Measures how long a user of examples/web-chat waits for the first event of an answer, alone and
// as one of 60 at the same time, compared with a bare node:http server.
//
//   npm run bench:web-chat -- [--users 60] [--rounds 5] [--reading-ms 0] [--model-ms 0]
//                             [--provider bubblewrap]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startOfflineModel } from '../test/support/offline-server.ts';
import { quantile } from './statistics.mjs';

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '5' },
    // How long a user reads before the next message, on average. With 0, all users send at once,
    // again and again.
    'reading-ms': { type: 'string', default: '0' },
    // How long the model takes to begin each answer. With 0, only the server is measured.
    'model-ms': { type: 'string', default: '0' },
    provider: { type: 'string', default: 'bubblewrap' },
  },
});
const users = Number(values.users);
const rounds = Number(values.rounds);

const CODE = 'for product in await list_products():\n    print(product["name"], product["price"])';

/** Runs a program for each message, then answers. */
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
try {
  console.log(`${users} users, ${rounds} messages each, one after the other and at the same time`);
  report('the example', await measure('examples/web-chat/server.mjs'));
  report('bare node:http', await measure('bench/floor-web-chat.mjs'));
} finally {
  await model.close();
  await rm(directory, { recursive: true });
}

/** How long the users of this server waited, one after the other and at the same time. */
async function measure(script) {
  const server = spawn(process.execPath, [resolve(script)], {
    env: {
      ...process.env,
      PORT: '0',
      DATABASE: join(directory, 'chat.db'),
      PROVIDER: values.provider,
      MESSAGES_PER_MINUTE: '1000000',
      ANTHROPIC_API_KEY: 'none',
      ANTHROPIC_BASE_URL: model.baseUrl,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(createInterface(server.stdout), 'line');
    const [, address] = /^Open (\S+)/.exec(line);
    // One-time work of a process does not count for a user.
    await talk(await openConversation(address, 'first'), 3);
    const alone = [];
    for (let index = 0; index < users; index += 1) {
      alone.push(...(await talk(await openConversation(address, `alone-${index}`), rounds)));
    }
    const open = [];
    for (let index = 0; index < users; index += 1) {
      open.push(await openConversation(address, `user-${index}`));
    }
    const readingMs = Number(values['reading-ms']);
    const together = await Promise.all(open.map((one) => talk(one, rounds, readingMs)));
    return { alone, together: together.flat() };
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

/**
 * Opens a user's new conversation. @returns Functions that send a message and close the connection.
 */
async function openConversation(address, user) {
  // Each user has one connection, like a browser. The pool behind `fetch` is shared, and may delay
  // a request until another user has the whole answer.
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

/** Sends a user's messages, one after the other. @returns What each took, in milliseconds. */
async function talk({ say, close }, messages, readingMs = 0) {
  const times = [];
  for (let message = 0; message < messages; message += 1) {
    if (readingMs > 0) await delay(2 * readingMs * Math.random());
    const start = performance.now();
    times.push(await readTimes(await say('What does all of it cost?'), start));
  }
  close();
  return times;
}

/** The times of the first event, of the model's first text, and of the complete answer. */
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
  if (!text.includes('"run-ended"')) throw new Error(`This message was not answered:\n${text}`);
  return times;
}

function report(title, { alone, together }) {
  console.log(title);
  for (const name of ['firstEvent', 'firstText', 'whole']) {
    const [one, many] = [alone, together].map((times) => times.map((time) => time[name]));
    const figures = [0.5, 0.99].map((share) => {
      const [ofOne, ofMany] = [one, many].map((times) => quantile(times, share));
      const ratio = (ofMany / ofOne).toFixed(1);
      return `p${share * 100}: ${ofOne.toFixed(1)} ms alone, ${ofMany.toFixed(1)} ms together (${ratio})`;
    });
    console.log(`  ${name.padEnd(11)} ${figures.join('   ')}`);
  }
}
