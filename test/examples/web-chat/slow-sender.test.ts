import { once } from 'node:events';
import { request, type ClientRequest } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { newDatabase, startChat, startService } from './chat-server.ts';
import { ChatUser } from './chat-user.ts';
import { loadRoutes } from './modules.ts';

/** Begins to send a message of 5 MB. Returns when the server reads it. */
async function beginUpload(url: string): Promise<ClientRequest> {
  const headers = {
    'x-user': 'anna',
    'content-type': 'application/json',
    'content-length': 5_000_000,
    expect: '100-continue',
  };
  const upload = request(url, { method: 'POST', headers });
  upload.on('error', () => {});
  upload.flushHeaders();
  await once(upload, 'continue');
  upload.write('{"text":"');
  return upload;
}

it('a message that does not end counts as an answer until its sender disconnects', async () => {
  const environment = { ANSWERS_AT_A_TIME: '1' };
  const chat = await startChat(await newDatabase(), await startService(), environment);
  const [anna, ben] = [new ChatUser(chat, 'anna'), new ChatUser(chat, 'ben')];
  const path = await anna.start();
  const upload = await beginUpload(`${chat.address}${path}/messages`);
  expect(await anna.announce(`${path}/messages`, 5_000_000)).toBe(429);
  upload.destroy();
  // A message that is refused ends its answer too.
  const refused = async (): Promise<number> => {
    const { status } = await anna.post(`${path}/messages`, { text: '' });
    return status;
  };
  await expect.poll(refused).toBe(400);
  await expect.poll(refused).toBe(400);
  await (await ben.say(await ben.start(), 'Hello.')).until('run-ended');
});

it('what is too much is refused before it is read, and no body may take forever', async () => {
  const { makeServer } = await loadRoutes();
  const conversations = { belongsTo: () => true, close: async () => {} };
  const quota = { ask: () => 7 };
  const app = makeServer({ conversations, quota, approvals: {}, hostNames: [] });
  onTestFinished(() => app.close());
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const anna = new ChatUser({ address }, 'anna');
  expect(await anna.announce('/conversations/1/messages', 5_000_000)).toBe(429);
  expect((await anna.get('/conversations/1')).status).toBe(429);
  expect(await anna.announce('/conversations', 100_000)).toBe(413);
  expect(await anna.announce('/approvals/1', 100_000)).toBe(413);
  // Node ends a connection whose request takes longer.
  expect(app.server.requestTimeout).toBeGreaterThan(0);
});
