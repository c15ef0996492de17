import Fastify, { type FastifyReply } from 'fastify';
import Database from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { PtcError } from '../../../src/index.ts';
import { PIXEL } from '../../support/images.ts';
import { newDatabase, RUN, startChat, startService, type ChatServer } from './chat-server.ts';
import { ChatUser } from './chat-user.ts';
import { loadRoutes } from './modules.ts';

const SCRIPT = '<script>alert(1)</script>';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`;

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

async function get(
  { address }: Pick<ChatServer, 'address'>,
  path: string,
  user = 'anna',
): Promise<Response> {
  return fetch(address + path, { headers: { 'x-user': user } });
}

/** Says something with files, and waits for the answer. */
async function say(
  { address }: ChatServer,
  path: string,
  body: object,
): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json', 'x-user': 'anna' };
  const message = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${address}${path}/messages`, message);
  return { status: response.status, text: await response.text() };
}

function expectDownload({ headers }: Pick<Response, 'headers'>, name: string): void {
  expect(headers.get('content-type')).toBe('application/octet-stream');
  expect(headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''${name}`);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
}

it('programs read what a user uploads, also after a restart, and only its user gets it back, as a download', async () => {
  const database = await newDatabase();
  const service = await startService();
  const chat = await startChat(database, service);
  const anna = new ChatUser(chat, 'anna');
  const path = await anna.start();
  const files = [
    { name: 'sales.csv', data: base64('region\nnorth') },
    { name: 'é\'"; x=.html', data: base64(SCRIPT) },
    { name: 'evil.svg', data: base64(SVG) },
  ];
  const said = await say(chat, path, { text: 'Keep these.', files });
  expect(said.text).toContain('"type":"run-ended"');
  const [message] = service.requests.at(-1)?.messages ?? [];
  expect(JSON.stringify(message)).toContain('/tmp/inputs/sales.csv');
  chat.process.child.kill('SIGKILL');
  await chat.process.finished();

  const later = await startChat(database, service);
  const text = `${RUN}print(open("/tmp/inputs/sales.csv").read())`;
  expect((await say(later, path, { text })).text).toContain('region\\\\nnorth');
  const conversation = await new ChatUser(later, 'anna').get(path);
  expect(conversation.body.files).toMatchObject(
    files.map(({ name, data }) => ({ name, sizeBytes: Buffer.from(data, 'base64').length })),
  );
  const names = ['%C3%A9%27%22%3B%20x%3D.html', 'evil.svg'];
  for (const [index, name] of names.entries()) {
    const response = await get(later, `${path}/files/${name}`);
    expect(response.status).toBe(200);
    expectDownload(response, name);
    expect(await response.text()).toBe([SCRIPT, SVG][index]);
    expect((await get(later, `${path}/files/${name}`, 'bert')).status).toBe(404);
  }
  for (const name of ['nothing', '..%2F..%2Fetc%2Fpasswd', '%2e%2e']) {
    expect((await get(later, `${path}/files/${name}`)).status).toBe(404);
  }
});

it('an upload that is too large or not right is refused, and one for a conversation of others is not read', async () => {
  const chat = await startChat(await newDatabase(), await startService());
  const anna = new ChatUser(chat, 'anna');
  const path = await anna.start();
  const refused = async (files: unknown): Promise<unknown> => {
    const { status, text } = await say(chat, path, { text: 'Hello.', files });
    return [status, (JSON.parse(text) as { error: string }).error];
  };
  const large = { name: 'a', data: Buffer.alloc(2_550_000).toString('base64') };
  expect(await refused([large, large])).toEqual([
    400,
    'The files of a message may have 5000000 bytes together.',
  ]);
  const wrong = [400, 'Each file must have a name, and its data in base64.'];
  expect(await refused([{ name: 'a', data: '<>' }])).toEqual(wrong);
  expect(await refused([null])).toEqual(wrong);
  expect(await refused([{ name: 1, data: '' }])).toEqual(wrong);
  expect(await refused({})).toEqual([400, 'files must be a list of at most 10.']);
  const name = await say(chat, path, {
    text: 'Hello.',
    files: [{ name: '../x', data: '' }],
  });
  expect(name.text).toContain('"code":"INPUT_INVALID"');
  expect(await anna.announce(`${path}/messages`, 2 * 1024 ** 3)).toBe(413);
  expect(await new ChatUser(chat, 'bert').announce(`${path}/messages`, 5_000_000)).toBe(404);
  const { body: conversation } = await anna.get(path);
  expect(conversation).toMatchObject({ messages: [], files: [] });
});

it('a picture that a program shows is sent with its type, to the user of its conversation', async () => {
  const chat = await startChat(await newDatabase(), await startService());
  const anna = new ChatUser(chat, 'anna');
  const path = await anna.start();
  const code = `import base64\nshow(base64.b64decode("${PIXEL}"))`;
  const reading = await anna.say(path, RUN + code);
  const { pictures } = await reading.until('program-ended');
  const [picture] = pictures as string[];
  const shown = async (): Promise<void> => {
    const response = await get(chat, `${path}/pictures/${picture}`);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
    expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(PIXEL);
  };
  // At once, and when the answer is complete.
  await shown();
  await reading.until('run-ended');
  await shown();
  const { body } = await anna.get(path);
  const [result] = body.messages[2].content;
  expect(result).toEqual(expect.objectContaining({ type: 'tool-result', pictures: [picture] }));
  expect(result).not.toHaveProperty('images');
  expect((await get(chat, `${path}/pictures/${picture}`, 'bert')).status).toBe(404);
  expect((await get(chat, `${path}/pictures/none`)).status).toBe(404);
});

it('a file with the longest name can be downloaded', async () => {
  const chat = await startChat(await newDatabase(), await startService());
  const path = await new ChatUser(chat, 'anna').start();
  // Each of these needs three bytes in a URL.
  const name = '%'.repeat(255);
  await say(chat, path, { text: 'Keep it.', files: [{ name, data: base64('kept') }] });
  const response = await get(chat, `${path}/files/${encodeURIComponent(name)}`);
  expect([response.status, await response.text()]).toEqual([200, 'kept']);
});

it('a download is refused for a while if no sandbox is free', async () => {
  const { makeServer } = await loadRoutes();
  const fileOf = async (): Promise<never> => {
    throw new PtcError('SANDBOX_LIMIT', 'All 20 sandboxes are in use.');
  };
  const conversations = { belongsTo: () => true, fileOf, close: async () => {} };
  const parts = { conversations, quota: { ask: () => 0 }, approvals: {}, hostNames: [] };
  const app = makeServer(parts);
  onTestFinished(() => app.close());
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const response = await get({ address }, '/conversations/1/files/a.txt');
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await response.json()).toEqual({
    error: 'Too many people are asking just now. Try again in 30 s.',
  });
});

it('a picture is sent without reading the messages of its conversation', async () => {
  const database = await newDatabase();
  const chat = await startChat(database, await startService());
  const anna = new ChatUser(chat, 'anna');
  const path = await anna.start();
  const code = `import base64\nshow(base64.b64decode("${PIXEL}"))`;
  const reading = await anna.say(path, RUN + code);
  const { pictures } = await reading.until('program-ended');
  await reading.until('run-ended');
  const connection = new Database(database);
  connection.exec('DELETE FROM ptc_conversation_entries');
  connection.close();
  const { status } = await get(chat, `${path}/pictures/${String(pictures)}`);
  expect(status).toBe(200);
});

it.each(['image/svg+xml', 'text/html', 'image/png\r\nx: y', ''])(
  'a picture of the type %j would be a download',
  async (mediaType) => {
    const { sendPicture } = (await import(
      new URL('../../../examples/web-chat/files.mjs', import.meta.url).href
    )) as { sendPicture: (reply: FastifyReply, picture: object) => FastifyReply };
    await using app = Fastify();
    app.get('/', (_request, reply) => sendPicture(reply, { mediaType, data: base64(SVG) }));
    const { headers, rawPayload } = await app.inject('/');
    expect(rawPayload.toString()).toBe(SVG);
    expectDownload({ headers: new Headers(headers as Record<string, string>) }, 'picture');
  },
);
