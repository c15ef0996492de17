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

const DESK = { user: 'anna', product: 'desk', quantity: 1 };

it('a server that is killed after an order goes on with it done, and orders nothing twice', async () => {
  const database = await newDatabase();
  const service = await startService();
  const supplier = await startSupplier();
  const environment = { SUPPLIER_URL: supplier.address };
  const killed = await startChat(database, service, environment);
  const before = new ChatUser(killed, 'anna');
  const path = await before.start();
  const code = `print(await order(product="desk", quantity=1))
print(await delivery_days(product="lamp"))`;
  const reading = await before.say(path, RUN + code);
  const { requestId } = await reading.until('approval-requested');
  await before.post(`/approvals/${String(requestId)}`, { approved: true });
  await supplier.asked;
  killed.process.child.kill('SIGKILL');
  await killed.process.finished();
  expect(ordersIn(database)).toEqual([DESK]);

  const chat = await startChat(database, service, environment);
  const anna = new ChatUser(chat, 'anna');
  const { body } = await anna.get(path);
  expect(JSON.stringify(body.messages)).toContain('The process that ran this ended');
  await (await anna.say(path, 'Is it ordered?')).until('run-ended');
  const told = JSON.stringify(service.requests.at(-1)?.messages);
  expect(told).toContain(String.raw`order({\"product\":\"desk\",\"quantity\":1}): done, `);
  expect(told).toContain(
    String.raw`delivery_days({\"product\":\"lamp\"}): it is not known whether this was done`,
  );
  const again = await (await anna.say(path, `${RUN}print(await list_orders())`)).until('run-ended');
  expect(again['text']).toContain("'product': 'desk'");
  expect(ordersIn(database)).toEqual([DESK]);
});

it('a server that is killed while an order waits for approval has not placed it', async () => {
  const database = await newDatabase();
  const service = await startService();
  const killed = await startChat(database, service);
  const before = new ChatUser(killed, 'anna');
  const path = await before.start();
  const code = 'print(await list_products())\nprint(await order(product="desk", quantity=1))';
  const { requestId } = await (await before.say(path, RUN + code)).until('approval-requested');
  killed.process.child.kill('SIGKILL');
  await killed.process.finished();

  const anna = new ChatUser(await startChat(database, service), 'anna');
  const decision = `/approvals/${String(requestId)}`;
  expect((await anna.post(decision, { approved: true })).status).toBe(409);
  await expect(anna.get(path)).resolves.toMatchObject({ body: { running: false, approvals: [] } });
  await (await anna.say(path, 'Is it ordered?')).until('run-ended');
  const told = JSON.stringify(service.requests.at(-1)?.messages);
  expect(told).toContain('list_products({}): done, ');
  expect(told).not.toContain(String.raw`order({\"product\":\"desk\",\"quantity\":1}): done`);
  expect(ordersIn(database)).toEqual([]);
});
