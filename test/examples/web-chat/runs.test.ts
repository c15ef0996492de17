import { expect, it } from 'vitest';
import {
  newDatabase,
  ordersIn,
  RUN,
  startChat,
  startService,
  startSupplier,
} from './chat-server.ts';
import { ChatUser } from './chat-user.ts';

const ORDER = `${RUN}print(await order(product="desk", quantity=2))`;

it('25 users are answered at the same time by 20 sandboxes, each with what is theirs', async () => {
  const chat = await startChat(await newDatabase(), await startService());
  const asking = Array.from({ length: 25 }, async (_, index) => {
    const user = new ChatUser(chat, `user-${index}`);
    const path = await user.start();
    const code = `products = await list_products()\nprint(len(products), "for user-${index}")`;
    const first = await (await user.say(path, RUN + code)).until('run-ended');
    // By now another user may have the sandbox. The conversation goes on all the same.
    const second = await (await user.say(path, 'Thanks.')).until('run-ended');
    return [first['text'], second['text']];
  });
  const answers = await Promise.all(asking);
  for (const [index, answer] of answers.entries()) {
    expect(answer).toEqual([`"4 for user-${index}"`, 'You said: Thanks.']);
  }
});

it('a reader who leaves ends the program, and the next message goes on from there', async () => {
  const service = await startService();
  const supplier = await startSupplier();
  const chat = await startChat(await newDatabase(), service, { SUPPLIER_URL: supplier.address });
  const anna = new ChatUser(chat, 'anna');
  const path = await anna.start();
  const code = 'kept = 41\nprint("asking")\nprint(await delivery_days(product="lamp"))';
  const reading = await anna.say(path, RUN + code);
  await expect(supplier.asked).resolves.toBe('/lamp');
  reading.leave();
  await supplier.clientGone;

  const next = await (await anna.say(path, `${RUN}print(kept + 1)`)).until('run-ended');
  expect(next['text']).toContain('42');
  const told = JSON.stringify(service.requests.at(-1)?.messages);
  expect(told).toContain(
    String.raw`delivery_days({\"product\":\"lamp\"}): it is not known whether this was done`,
  );
  const { body } = await anna.get(path);
  expect(body).toMatchObject({ running: false, approvals: [] });
  expect(body.messages).toHaveLength(6);
});

it('an order waits until its user decides by another request, once', async () => {
  const database = await newDatabase();
  const chat = await startChat(database, await startService());
  const [anna, eve] = [new ChatUser(chat, 'anna'), new ChatUser(chat, 'eve')];
  const path = await anna.start();
  const reading = await anna.say(path, ORDER);
  const { requestId } = await reading.until('approval-requested');
  const decision = `/approvals/${String(requestId)}`;

  // A page that is opened now shows it too.
  const { body } = await anna.get(path);
  expect(body.approvals).toMatchObject([
    { requestId, toolName: 'order', arguments: { product: 'desk', quantity: 2 } },
  ]);
  expect((await eve.post(decision, { approved: true })).status).toBe(404);
  expect(ordersIn(database)).toEqual([]);
  expect((await anna.post(decision, { approved: true })).status).toBe(204);
  expect((await anna.post(decision, { approved: true })).status).toBe(409);
  expect((await eve.post(decision, { approved: true })).status).toBe(404);
  await expect(reading.until('run-ended')).resolves.toMatchObject({
    text: expect.stringContaining("'ordered': 'desk'"),
  });
  expect(ordersIn(database)).toEqual([{ user: 'anna', product: 'desk', quantity: 2 }]);
});

it('an order that is rejected, or that nobody decides, is not placed', async () => {
  const database = await newDatabase();
  const service = await startService();
  const chat = await startChat(database, service);
  const anna = new ChatUser(chat, 'anna');
  const rejecting = await anna.say(await anna.start(), ORDER);
  const { requestId } = await rejecting.until('approval-requested');
  await anna.post(`/approvals/${String(requestId)}`, { approved: false });
  await expect(rejecting.until('run-ended')).resolves.toMatchObject({
    text: expect.stringContaining('the user said no'),
  });

  const hasty = await startChat(database, service, { APPROVAL_TIMEOUT_MS: '1' });
  const late = new ChatUser(hasty, 'anna');
  const expiring = await late.say(await late.start(), ORDER);
  const expired = await expiring.until('approval-decided');
  expect(expired).toMatchObject({ decision: 'expired' });
  const decision = `/approvals/${String(expired['requestId'])}`;
  expect((await late.post(decision, { approved: true })).status).toBe(409);
  await expect(expiring.until('run-ended')).resolves.toMatchObject({
    text: expect.stringContaining('nobody decided within 1 ms'),
  });
  expect(ordersIn(database)).toEqual([]);
});
