import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { newDatabase, RUN, startChat, startService, startSupplier } from './chat-server.ts';
import type { ChatServer } from './chat-server.ts';
import { ChatUser } from './chat-user.ts';
import { loadExample } from './modules.ts';

/** Asks under this name, as a browser does that the name of others has led here. */
async function askAs(host: string | undefined, { address }: ChatServer): Promise<IncomingMessage> {
  const headers = { 'x-user': 'anna', ...(host !== undefined && { host }) };
  const asking = request(`${address}/conversations`, { headers, setHost: false }).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  return response;
}

type QuotaClass = new (limits: { perMinute: number; atATime: number }) => {
  ask(user: string): number;
};

async function loadQuota(): Promise<QuotaClass> {
  const { Quota } = await loadExample<{ Quota: QuotaClass }>('quota.mjs');
  return Quota;
}

it('only its own names lead to the server, whatever a browser takes them for', async () => {
  const chat = await startChat(await newDatabase(), await startService(), {
    HOST_NAMES: 'chat.example, chat.test',
  });
  const { port } = new URL(chat.address);
  const own = ['localhost', '127.0.0.1', '[::1]', 'chat.example', 'CHAT.test'];
  for (const host of [...own, ...own.map((name) => `${name}:${port}`)]) {
    const { statusCode } = await askAs(host, chat);
    expect([host, statusCode]).toEqual([host, 200]);
  }
  const others = ['evil.example', `evil.example:${port}`, 'localhost.evil.example', ''];
  for (const host of [...others, '127.0.0.1:80:80', 'chat.example.evil.example', 'example']) {
    const response = await askAs(host, chat);
    expect([host, response.statusCode]).toEqual([host, 421]);
    expect(await text(response)).toContain('HOST_NAMES');
  }
  // Node itself refuses a request without one.
  expect((await askAs(undefined, chat)).statusCode).toBe(400);
});

it('no answer can be shown in a frame, or taken for something else', async () => {
  const chat = await startChat(await newDatabase(), await startService());
  const anna = new ChatUser(chat, 'anna');
  const path = await anna.start();
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-user': 'anna' },
  };
  const message = { ...post, body: JSON.stringify({ text: 'Hello.' }) };
  const answers = await Promise.all([
    fetch(`${chat.address}/`),
    fetch(`${chat.address}/chat.js`),
    fetch(`${chat.address}/nothing`),
    fetch(`${chat.address}${path}/messages`, message),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200]);
  for (const { headers } of answers) {
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
  await Promise.all(answers.map((answer) => answer.text()));
});

it('a user who sends too many messages is told when to go on, and others are not affected', async () => {
  const chat = await startChat(await newDatabase(), await startService(), {
    MESSAGES_PER_MINUTE: '5',
  });
  const [anna, ben] = [new ChatUser(chat, 'anna'), new ChatUser(chat, 'ben')];
  const ask = async (): Promise<Response> => {
    const headers = { 'content-type': 'application/json', 'x-user': 'anna' };
    const body = JSON.stringify({ text: 'Hello.' });
    return fetch(`${chat.address}/conversations`, { method: 'POST', headers, body });
  };
  // A minute may end in between, so up to twice as many are taken.
  const statuses: number[] = [];
  let refused: Response | undefined;
  while (refused === undefined && statuses.length < 20) {
    const answer = await ask();
    statuses.push(answer.status);
    if (answer.status === 429) refused = answer;
  }
  expect(statuses.length).toBeGreaterThan(5);
  expect(statuses.length).toBeLessThanOrEqual(11);
  const seconds = Number(refused?.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(await refused?.json()).toEqual({
    error: `You have sent as many requests as allowed. Try again in ${seconds} s.`,
  });
  expect((await anna.get('/conversations')).body).toHaveLength(statuses.length - 1);
  await (await ben.say(await ben.start(), 'Hello.')).until('run-ended');
});

it('a user is sent so many answers at a time, and another one when one of them ends', async () => {
  const supplier = await startSupplier();
  const chat = await startChat(await newDatabase(), await startService(), {
    SUPPLIER_URL: supplier.address,
    ANSWERS_AT_A_TIME: '1',
  });
  const anna = new ChatUser(chat, 'anna');
  const [first, second] = [await anna.start(), await anna.start()];
  const reading = await anna.say(first, `${RUN}await delivery_days(product="lamp")`);
  await supplier.asked;
  await expect(anna.post(`${second}/messages`, { text: 'Hello.' })).resolves.toEqual({
    status: 429,
    body: { error: 'You are being sent as many answers as allowed. Try again in 5 s.' },
  });
  reading.leave();
  await supplier.clientGone;
  await expect.poll(async () => (await anna.get(first)).body.running).toBe(false);
  await expect
    .poll(async () => {
      const answer = await anna.say(second, 'Hello.').catch(() => undefined);
      return (await answer?.until('run-ended'))?.type;
    })
    .toBe('run-ended');
});

it('invented names take no more memory than those of ten thousand users, for a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  const Quota = await loadQuota();
  const quota = new Quota({ perMinute: 2, atATime: 1 });
  const users = Array.from({ length: 10_001 }, (_, index) => quota.ask(`user-${index}`));
  expect(users.filter((seconds) => seconds > 0)).toEqual([60]);
  expect(quota.ask('user-0')).toBe(0);
  expect(quota.ask('user-0')).toBe(60);
  vi.setSystemTime(120_000);
  expect(quota.ask('user-10000')).toBe(0);
});

it.each([Number.NaN, 0, -1, 1.5])('a limit of %d is refused, with what sets it', async (limit) => {
  const Quota = await loadQuota();
  expect(() => new Quota({ perMinute: limit, atATime: 3 })).toThrow(
    `MESSAGES_PER_MINUTE is ${limit}`,
  );
  expect(() => new Quota({ perMinute: 30, atATime: limit })).toThrow(
    `ANSWERS_AT_A_TIME is ${limit}`,
  );
});
