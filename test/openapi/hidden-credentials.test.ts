import { expect, it } from 'vitest';
import { callerOf, documentOf, serve } from './support.ts';

const document = documentOf(
  { '/x': { get: { operationId: 'get', security: [{ header: [] }] } } },
  { components: { securitySchemes: { header: { type: 'apiKey', in: 'header', name: 'x-key' } } } },
);

/** What a program gets if a service that sends this body needs the key. */
async function echoed(
  key: string,
  body: string,
  { status = 200, type = 'application/json' } = {},
): Promise<unknown> {
  const baseUrl = await serve((_request, response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  return callerOf({ baseUrl, document, auth: { header: key } })('get');
}

it('hides credentials however JSON writes them', async () => {
  const key = 'ab/cd+ef==';
  const written = String.raw`"ab\/cd\u002Bef=="`;
  expect(await echoed(key, `{"sent":[${written}],${written}:1}`)).toEqual({
    sent: ['(removed)'],
    '(removed)': 1,
  });
  expect(await echoed(key, `{ "sent": ${written} }`, { status: 403 })).toEqual({
    type: 'Failed',
    message: 'the service answered 403 Forbidden: {"sent":"(removed)"}',
  });
  // A text that contains JSON, as many services write it, and one that contains an address.
  for (const text of [String.raw`{"sent":"ab\/cd+ef=="}`, 'x?key=ab%2Fcd%2Bef%3D%3D', key]) {
    expect(await echoed(key, text, { type: 'text/plain' })).toContain('(removed)');
    expect(await echoed(key, JSON.stringify([text]))).toEqual([
      expect.stringContaining('(removed)'),
    ]);
  }
  expect(await echoed('secret-key', '%PDF', { type: 'x/secret-key' })).toMatchObject({
    mimeType: 'x/(removed)',
  });
});

it.each<[how: string, key: string, text: string]>([
  ['digits in small letters', 'ab/cd+ef==', '/l?key=ab%2fcd%2bef%3d%3d&page=2'],
  ['more characters than are needed', 'a!key~(x)', '/l?key=a%21key%7E%28x%29&page=2'],
  ['fewer characters than are needed', 'ab/cd+ef==', '/l?key=ab/cd%2Bef==&page=2'],
  ['a form', 'a key é+b', `/l?${new URLSearchParams({ key: 'a key é+b' }).toString()}&page=2`],
  ['percent signs', '100%25%key', '/l?key=100%2525%25key&page=2'],
  ['percent signs that stay', '100%2F% key', '/l?key=100%2F%%20key&page=2'],
  ['a plus that was read as a space', 'ab+cd==', '/l?key=ab cd%3d%3D&page=2'],
])('hides credentials in percent-encoding: with %s', async (_how, key, text) => {
  const hidden = '/l?key=(removed)&page=2';
  expect(await echoed(key, JSON.stringify({ next: text }))).toEqual({ next: hidden });
  expect(await echoed(key, text, { type: 'text/plain' })).toBe(hidden);
  const failure = { message: `the service answered 403 Forbidden: ${hidden}` };
  expect(await echoed(key, text, { status: 403 })).toMatchObject(failure);
});

it('hides a long credential in a long text, and leaves the rest as it is', async () => {
  const key = 'k/'.repeat(4000);
  const rest = '100 % of 1+1, é%c3%a9 %k%2';
  const text = `${rest}${'%6B%2f'.repeat(100)}${rest.repeat(20_000)}`;
  const answer = `${text}${'%6B%2f'.repeat(4000)}${rest}`;
  const hidden = await echoed(key, answer, { type: 'text/plain' });
  expect(hidden === `${text}(removed)${rest}`).toBe(true);
});

/** A credential in which no part repeats. */
const long = Array.from({ length: 400 }, (_, at) => `${at}/`).join('');

it.each([
  ['as it is', long],
  ['in percent-encoding', encodeURIComponent(long)],
  ['as JSON writes it', long.replaceAll('/', String.raw`\/`)],
])('hides a credential in which a long error is cut: %s', async (_how, written) => {
  const failure = { message: expect.stringMatching(/^[^0-9]+500[^0-9]+$/) };
  expect(await echoed(long, written.repeat(20), { status: 500 })).toMatchObject(failure);
});

it('hides a credential in which an error stops, and shows what could be there by chance', async () => {
  const errorOf = async (sent: string): Promise<unknown> => {
    const baseUrl = await serve((_request, response) => {
      response.writeHead(500).write(sent);
    });
    return callerOf({ baseUrl, document, auth: { header: 'secret/key/of/somebody' } })('get');
  };
  const status = 'the service answered 500 Internal Server Error:';
  const [hidden, inside, shown] = await Promise.all(
    ['key=secret/key', 'key=secret%2Fkey%2', 'key=secre'].map(errorOf),
  );
  expect(hidden).toMatchObject({ message: `${status} key=(removed)` });
  expect(inside).toMatchObject({ message: `${status} key=(removed)` });
  expect(shown).toMatchObject({ message: `${status} key=secre` });
});

it('hides a credential of digits without breaking numbers', async () => {
  const body = '{"sent": 1234567, "id": 12345678, "text": "no. 1234567", "deep": [[1234567]]}';
  const hidden = {
    sent: '(removed)',
    id: 12_345_678,
    text: 'no. (removed)',
    deep: [['(removed)']],
  };
  expect(await echoed('1234567', body)).toEqual(hidden);
  expect(await echoed('12345', '{"id": 12345}')).toEqual({ id: 12_345 });
  expect(await echoed('9007199254740993', '{"sent": 9007199254740993}')).toEqual({
    sent: '(removed)',
  });
  // The service wrote nothing secret, so its text stays as it is.
  expect(await echoed('1234567', '{ "id": 1.0 }', { status: 404 })).toMatchObject({
    message: 'the service answered 404 Not Found: { "id": 1.0 }',
  });
  const deep = (levels: number): string => `${'['.repeat(levels)}1234567${']'.repeat(levels)}`;
  expect(await echoed('1234567', deep(100_000))).toMatchObject({
    type: 'InvalidResult',
    message: expect.stringContaining('nested'),
  });
  const refused = (await echoed('1234567', deep(5000), { status: 400 })) as { message: string };
  expect(refused.message).not.toContain('1234567');
});

it.each<[how: string, headers: Record<string, string>, sent: string]>([
  ['a scheme with a hyphen', { authorization: 'DeepL-Auth-Key my-key' }, 'my-key'],
  ['several spaces', { authorization: 'Bearer   my-key' }, 'my-key'],
  ['a space at the end', { 'x-key': 'my-key ' }, 'my-key'],
  ['a parameter', { authorization: 'Token token=my-key' }, 'my-key'],
  ['a parameter in quotes', { authorization: 'X token="my,key", user=me' }, 'my,key'],
  ['cookies', { cookie: 'a=b; session=my,key==; c=d' }, 'my,key=='],
  ['a cookie in quotes', { Cookie: 'session="my-key"' }, 'my-key'],
  ['a secret in another one', { a: 'my-key', b: 'my-key-of-mine' }, 'my-key-of-mine'],
  ['a secret in an encoded one', { a: 'my-key', b: 'my-key/of/mine' }, 'my-key%2Fof%2Fmine'],
])('hides what a service reads from headers: %s', async (_how, headers, sent) => {
  const baseUrl = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ sent }));
  });
  const call = callerOf({ baseUrl, document, auth: () => headers });
  expect(await call('get')).toEqual({ sent: '(removed)' });
});

it('does not repeat the name of another origin, which can have the credentials in it', async () => {
  const baseUrl = await serve((_request, response) => {
    response.writeHead(302, { location: 'http://my-key.example.com/' }).end();
  });
  const call = callerOf({ baseUrl, document, auth: { header: 'My-Key' } });
  expect(await call('get')).toEqual({
    type: 'Failed',
    message: `the service redirected to another origin than ${baseUrl}, which is not followed`,
  });
});
