import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { callerOf, documentOf, serve } from './support.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A function that gets the answer of a service to a GET, or to another method. */
async function answering(
  answer: Answer,
): Promise<(signal?: AbortSignal, tool?: string) => Promise<unknown>> {
  const baseUrl = await serve((request, response) => answer(response, request));
  const operation = (operationId: string): object => ({ operationId, responses: {} });
  const methods = ['get', 'post', 'head'].map((method) => [method, operation(method)]);
  const document = documentOf({ '/a': Object.fromEntries(methods) as object });
  const call = callerOf({ baseUrl, document });
  return async (signal, tool = 'get') => call(tool, {}, signal);
}

const answered = async (type: string, body: string | Buffer, status = 200): Promise<unknown> => {
  const call = await answering((response) => {
    if (type !== '') response.setHeader('content-type', type);
    response.writeHead(status).end(body);
  });
  return call();
};

it('gives a program JSON, text, nothing, or other bodies in base64', async () => {
  expect(await answered('application/json; charset=utf-8', '{"a":[1]}')).toEqual({ a: [1] });
  expect(await answered('application/problem+json', '[null]')).toEqual([null]);
  expect(await answered('text/plain', '7')).toBe('7');
  expect(await answered('text/plain; charset=latin1', Buffer.from([0xe9]))).toBe('é');
  expect(await answered('application/xml', '<a/>')).toBe('<a/>');
  expect(await answered('', '{"a":1}')).toEqual({ a: 1 });
  expect(await answered('', 'plain')).toBe('plain');
  expect(await answered('text/plain', '')).toBe('');
  expect(await answered('text/plain', '', 204)).toBeNull();
  expect(await answered('application/json', '', 204)).toBeNull();
  expect(await answered('application/json', '')).toBeNull();
  expect(await answered('image/png', Buffer.from([0, 255]))).toEqual({
    type: 'image',
    mimeType: 'image/png',
    data: 'AP8=',
  });
  expect(await answered('application/pdf', 'x')).toEqual({
    type: 'resource',
    mimeType: 'application/pdf',
    data: 'eA==',
  });
  const heads = await answering((response) =>
    response.setHeader('content-type', 'text/plain').end(),
  );
  expect(await heads(undefined, 'head')).toBeNull();
  const value = await answered('application/json', '{"__proto__": {"admin": true}}');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
});

it('fails a call for a status without success, with a bounded and escaped part of the body', async () => {
  expect(await answered('text/plain', 'no\u001b[2J such\u202e pet', 404)).toEqual({
    type: 'Failed',
    message: String.raw`the service answered 404 Not Found: no\x1b[2J such\u202e pet`,
  });
  expect(await answered('', '', 299)).toBeNull();
  const { message } = (await answered('text/plain', 'x'.repeat(100_000), 500)) as {
    message: string;
  };
  expect(message).toMatch(/^the service answered 500 Internal Server Error: x{2000}…$/);
});

it('fails a call for an answer that cannot be used', async () => {
  expect(await answered('application/json', '{"a":')).toMatchObject({
    type: 'InvalidResult',
    message: 'the answer is not JSON, although its content-type says so',
  });
  expect(await answered('application/json', `${'['.repeat(600)}${']'.repeat(600)}`)).toMatchObject({
    type: 'InvalidResult',
    message: expect.stringContaining('more than 500 levels deep'),
  });
});

it.each([
  ['{"id":9007199254740993}', { id: '9007199254740993' }],
  [
    '[{"a":["]",{"b c":[1, -9007199254740993 ]}]}]',
    [{ a: [']', { 'b c': [1, '-9007199254740993'] }] }],
  ],
  [
    '{"\\"1234567890123456789\\n":12345678901234567890,"n":2}',
    { '"1234567890123456789\n': '12345678901234567890', n: 2 },
  ],
  ['9007199254740993', '9007199254740993'],
  [
    '{"a":1e400,"b":[-1.5E+0999,1e-400,1e308,"1e999"]}',
    { a: '1e400', b: ['-1.5E+0999', 0, 1e308, '1e999'] },
  ],
  [
    '{"a":1.2345678901234567891E+30,"b":[-12345678901234.5678e10,1.5e22]}',
    { a: '1.2345678901234567891E+30', b: ['-12345678901234.5678e10', 1.5e22] },
  ],
])('gives a program a number that would change as text: %s', async (body, value) => {
  for (const type of ['application/json', '']) {
    expect(await answered(type, body)).toEqual(value);
  }
});

it('gives a program other numbers, and texts with many digits, as they are', async () => {
  const body =
    '{"id":9007199254740991,"large":9876543210123456,"huge":1e300,"share":0.12345678901234567,"ids":["9007199254740993", "a\\", 9007199254740993"]}';
  expect(await answered('application/json', body)).toEqual(JSON.parse(body));
  const long = `["${String.raw`\n`.repeat(2_500_000)}", 9876543210123456]`;
  expect(await answered('application/json', long)).toHaveLength(2);
});

/** Sends pieces until its reader leaves. */
function endless(response: ServerResponse, piece: string | Buffer): void {
  const send = (): void => {
    if (response.destroyed) return;
    response.write(piece);
    response.once('drain', send);
  };
  send();
}

it.each([200, 500])('stops reading a body that never ends, with the status %i', async (status) => {
  let closed: Promise<unknown> | undefined;
  const call = await answering((response) => {
    closed = once(response, 'close');
    response.writeHead(status, { 'content-type': 'application/json' });
    endless(response, '1'.repeat(65_536));
  });
  expect(await call()).toMatchObject(
    status === 200
      ? { type: 'InvalidResult', message: 'the answer has more than 8388608 bytes; ask for less' }
      : { type: 'Failed' },
  );
  await closed;
});

it('stops reading a small body that is large when it is decompressed', async () => {
  const body = gzipSync(Buffer.alloc(64 * 2 ** 20, 'a'));
  const call = await answering((response) => {
    response.setHeader('content-encoding', 'gzip');
    response.setHeader('content-type', 'text/plain');
    response.end(body);
  });
  expect(await call()).toMatchObject({ type: 'InvalidResult' });
});

it('follows redirects within the origin only [host/openapi-origin]', async () => {
  const elsewhere: string[] = [];
  const other = await serve((request, response) => {
    elsewhere.push(String(request.headers.authorization));
    response.end('stolen');
  });
  const seen: string[] = [];
  const baseUrl = await serve((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const location = pathname === '/done' ? undefined : searchParams.get('to');
    if (!location) return void response.end('arrived');
    return void response.writeHead(Number(searchParams.get('status')), { location }).end('moved');
  });
  const parameters = ['to', 'status'].map((name) => ({ name, in: 'query', schema: {} }));
  const document = documentOf({
    '/go': { get: { operationId: 'get', parameters }, post: { operationId: 'post', parameters } },
  });
  const auth = (): Record<string, string> => ({ authorization: 'Bearer secret-token' });
  const call = callerOf({ baseUrl, document, auth });
  const go = async (tool: string, to: string, status: number): Promise<unknown> =>
    call(tool, { to, status });
  expect(await go('get', '/done', 302)).toBe('arrived');
  for (const status of [301, 302, 303, 307, 308]) {
    expect(await go('post', '/done', status)).toEqual({
      type: 'Failed',
      message: `the service answered ${status}, a redirect, which is not followed for POST, so it is unknown whether it carried the call out`,
    });
  }
  expect(await go('post', '', 302)).toBe('arrived');
  expect(seen.filter((one) => one.endsWith('/done'))).toEqual(['GET /done']);
  for (const to of [
    `${other}/x`,
    other.replace('http:', ''),
    'https://127.0.0.1/',
    'http://[',
    'data:,x',
  ]) {
    expect(await go('get', to, 302)).toMatchObject({
      type: 'Failed',
      message: expect.stringMatching(/redirected to (another origin|an address)/),
    });
  }
  expect(await go('get', '', 302)).toBe('arrived');
  expect(elsewhere).toEqual([]);
});

it('gives up redirects without end', async () => {
  const call = await answering((response) => response.writeHead(302, { location: '/a' }).end());
  expect(await call()).toMatchObject({
    message: expect.stringContaining('redirected more than 5 times'),
  });
});

it('says that a service cannot be reached, or broke off its answer', async () => {
  const document = documentOf({ '/a': { get: { operationId: 'get' } } });
  expect(await callerOf({ baseUrl: 'http://127.0.0.1:1', document })('get')).toMatchObject({
    type: 'Unavailable',
    message: expect.stringContaining('the service at http://127.0.0.1:1 cannot be reached'),
  });
  const call = await answering((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('[1,', () => response.destroy());
  });
  expect(await call()).toEqual({
    type: 'Unavailable',
    message: expect.stringMatching(
      /^the service at http:\S+ broke off its answer, so it is unknown whether it carried the call out; try again later$/,
    ),
  });
  const refused = await answering((response) => {
    response.writeHead(404, { 'content-type': 'text/plain' });
    response.write('no such', () => response.destroy());
  });
  expect(await refused()).toMatchObject({
    type: 'Failed',
    message: expect.stringMatching(/^the service answered 404 Not Found/),
  });
});

it('gives up the request of a call that is given up', async () => {
  const controller = new AbortController();
  let closed: Promise<unknown> | undefined;
  const call = await answering((response) => {
    closed = once(response, 'close');
    controller.abort();
  });
  expect(await call(controller.signal)).toMatchObject({ type: 'Cancelled' });
  await closed;
});

it('fails a call with the status of an error whose body does not end, and what has come of it', async () => {
  let closed: Promise<unknown> | undefined;
  const call = await answering((response) => {
    closed = once(response, 'close');
    response.writeHead(422, { 'content-type': 'application/json' });
    response.write('{"error":"name is missing"}');
  });
  expect(await call(undefined, 'post')).toEqual({
    type: 'Failed',
    message: 'the service answered 422 Unprocessable Entity: {"error":"name is missing"}',
  });
  await closed;
});
