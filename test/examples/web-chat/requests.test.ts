import { expect, it } from 'vitest';
import { newDatabase, RUN, startChat, startService, startSupplier } from './chat-server.ts';
import { ChatUser } from './chat-user.ts';

it('a message that cannot be taken is answered with what is wrong with it', async () => {
  const chat = await startChat(await newDatabase(), await startService());
  const anna = new ChatUser(chat, 'anna');
  const path = `${await anna.start()}/messages`;
  const unknown = `/conversations/${crypto.randomUUID()}`;

  const empty = { status: 400, body: { error: 'text must be a string that is not empty.' } };
  for (const body of [{ text: ' ' }, { text: 3 }, {}, null, ['text']]) {
    await expect(anna.post(path, body)).resolves.toEqual(empty);
  }
  await expect(anna.post(path, { text: 'x'.repeat(10_001) })).resolves.toEqual({
    status: 400,
    body: { error: 'text has 10001 characters. The limit is 10000.' },
  });
  const headers = { 'x-user': 'anna', 'content-type': 'application/json' };
  const address = chat.address + path;
  const notJson = await fetch(address, { method: 'POST', headers, body: '{' });
  expect([notJson.status, await notJson.text()]).toEqual([400, expect.stringContaining('JSON')]);
  expect(await anna.announce(path, 2 ** 31)).toBe(413);
  expect(await anna.announce('/conversations', 2 ** 21)).toBe(413);
  await expect(new ChatUser(chat, '').get('/conversations')).resolves.toMatchObject({
    status: 401,
  });
  const noSuch = { status: 404, body: { error: 'There is no such conversation.' } };
  await expect(anna.get(unknown)).resolves.toEqual(noSuch);
  await expect(anna.post(`${unknown}/messages`, { text: 'Hi.' })).resolves.toEqual(noSuch);
  await expect(anna.post('/approvals/x', { approved: 'yes' })).resolves.toMatchObject({
    status: 400,
  });
  await expect(anna.post('/approvals/x', { approved: true })).resolves.toMatchObject({
    status: 404,
  });
});

it('a conversation is its user’s alone', async () => {
  const chat = await startChat(await newDatabase(), await startService());
  const [anna, eve] = [new ChatUser(chat, 'anna'), new ChatUser(chat, 'eve')];
  const path = await anna.start();
  await (await anna.say(path, 'A secret.')).until('run-ended');

  await expect(eve.get(path)).resolves.toMatchObject({ status: 404 });
  const steering = eve.post(`${path}/messages`, { text: 'Go on.' });
  await expect(steering).resolves.toMatchObject({ status: 404 });
  await expect(eve.get('/conversations')).resolves.toEqual({ status: 200, body: [] });
  const { body } = await anna.get('/conversations');
  expect(body).toEqual([{ id: path.split('/').at(-1), title: 'Hello.' }]);
  const kept = await anna.get(path);
  expect(JSON.stringify(kept.body.messages)).toContain('You said: A secret.');
});

it('a second message is refused as long as somebody reads the answer to the first', async () => {
  const supplier = await startSupplier();
  const environment = { SUPPLIER_URL: supplier.address };
  const chat = await startChat(await newDatabase(), await startService(), environment);
  const anna = new ChatUser(chat, 'anna');
  const path = await anna.start();
  const reading = await anna.say(path, `${RUN}await delivery_days(product="lamp")`);
  await supplier.asked;

  await expect(anna.post(`${path}/messages`, { text: 'And?' })).resolves.toEqual({
    status: 409,
    body: { error: 'The last message is still being answered.' },
  });
  const { body } = await anna.get(path);
  expect(body.running).toBe(true);
  expect(JSON.stringify(body.messages)).toContain('it is not known whether this was done');
  reading.leave();
});

it('a conversation is complete while its run waits for that of another process', async () => {
  const [supplier, service, database] = [
    await startSupplier(),
    await startService(),
    await newDatabase(),
  ];
  const environment = { SUPPLIER_URL: supplier.address };
  const earlier = new ChatUser(await startChat(database, service, environment), 'anna');
  const later = new ChatUser(await startChat(database, service, environment), 'anna');
  const path = await earlier.start();
  const files = [{ name: 'a.txt', data: 'aGk=' }];
  await (await earlier.say(path, 'Keep it.', files)).until('run-ended');
  const reading = await earlier.say(path, `${RUN}await delivery_days(product="lamp")`);
  await supplier.asked;
  const waiting = later.say(path, 'And?');
  await expect.poll(async () => (await later.get(path)).body.running).toBe(true);

  const { body } = await later.get(path);
  expect(JSON.stringify(body.messages)).toContain('You said: Keep it.');
  expect(body.files).toEqual([{ name: 'a.txt', sizeBytes: 2 }]);
  reading.leave();
  await (await waiting).until('run-ended');
});
