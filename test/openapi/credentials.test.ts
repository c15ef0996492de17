import { expect, it } from 'vitest';
import { openApiTools } from '../../src/openapi/openapi-tools.ts';
import type { OpenApiAuth } from '../../src/openapi/request/credentials.ts';
import { callerOf, documentOf, serve, serveEcho, toolsOf, type Received } from './support.ts';

const securitySchemes = {
  bearer: { type: 'http', scheme: 'Bearer' },
  basic: { type: 'http', scheme: 'basic' },
  oauth: { type: 'oauth2', flows: {} },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'api_key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  digest: { type: 'http', scheme: 'digest' },
};

const any = { type: 'object', additionalProperties: { type: 'string' } };
const parameters = [
  { name: 'X-Key', in: 'header', required: true, schema: {} },
  { name: 'Authorization', in: 'header', schema: {} },
  { name: 'Host', in: 'header', schema: {} },
  { name: 'api_key', in: 'query', schema: {} },
  { name: 'filter', in: 'query', schema: any },
  { name: 'sid', in: 'cookie', schema: {} },
  { name: 'theme', in: 'cookie', schema: {} },
];

/** A document with an operation that has this `security`, and one that can have each credential. */
function document(security: object): object {
  const get = { operationId: 'get', parameters, security };
  const each = {
    operationId: 'each',
    security: Object.keys(securitySchemes).map((one) => ({ [one]: [] })),
  };
  return documentOf({ '/x': { get }, '/y': { get: each } }, { components: { securitySchemes } });
}

async function sent(
  security: object,
  auth: OpenApiAuth,
  input: object = {},
): Promise<Received | undefined> {
  const { baseUrl, received } = await serveEcho();
  await callerOf({ baseUrl, document: document(security), auth })('get', input);
  return received[0];
}

it('adds the credentials of each kind of security scheme', async () => {
  const token = { headers: { authorization: 'Bearer t-1234567' } };
  expect(await sent([{ bearer: [] }], { bearer: 't-1234567' })).toMatchObject(token);
  expect(await sent([{ oauth: ['read'] }], { oauth: async () => 't-1234567' })).toMatchObject(
    token,
  );
  expect(await sent([{ basic: [] }], { basic: { username: 'é', password: 'p:w' } })).toMatchObject({
    headers: { authorization: `Basic ${Buffer.from('é:p:w').toString('base64')}` },
  });
  expect(
    await sent([{ header: [], query: [], cookie: [] }], {
      header: 'k1',
      query: 'k 2',
      cookie: 'k;3',
    }),
  ).toMatchObject({
    url: '/x?api_key=k%202',
    headers: { 'x-key': 'k1', cookie: 'sid=k%3B3' },
  });
});

it('sends cookies of programs beside those in a header of credentials, but none of the same name', async () => {
  const { baseUrl, received } = await serveEcho();
  const cookies = ['sid', 'theme'].map((name) => ({ name, in: 'cookie', schema: {} }));
  const call = callerOf({
    baseUrl,
    document: documentOf({ '/x': { get: { operationId: 'get', parameters: cookies } } }),
    auth: () => ({ Cookie: 'lang=de; sid=right-key' }),
  });
  await call('get', { sid: 'wrong', theme: 'dark' });
  await call('get', { sid: 'wrong' });
  expect(received.map(({ headers }) => headers.cookie)).toEqual([
    'theme=dark; lang=de; sid=right-key',
    'lang=de; sid=right-key',
  ]);
});

it('sends a cookie as it is, except for what no cookie can have', async () => {
  const cookieOf = async (cookie: string): Promise<unknown> =>
    (await sent([{ cookie: [] }], { cookie }))?.headers.cookie;
  expect(await cookieOf('s:a/b+c==.d%3A')).toBe('sid=s:a/b+c==.d%3A');
  expect(await cookieOf('a b;c,d"e\\f\n😀')).toBe('sid=a%20b%3Bc%2Cd%22e%5Cf%0A%F0%9F%98%80');
});

it('uses the first list of schemes for which it has all credentials', async () => {
  const security = [{ bearer: [], header: [] }, { query: [] }, {}];
  expect((await sent(security, { bearer: 'token-1' }))?.headers.authorization).toBeUndefined();
  expect((await sent(security, { bearer: 'token-1', query: 'q' }))?.url).toBe('/x?api_key=q');
  expect((await sent([], { bearer: 'token-1' }))?.headers.authorization).toBeUndefined();
});

it('sends credentials to an operation that also answers without', async () => {
  const token = { headers: { authorization: 'Bearer token-1' } };
  expect(await sent([{}, { bearer: [] }], { bearer: 'token-1' })).toMatchObject(token);
  expect(await sent([{}, { query: [] }, { bearer: [] }], { bearer: 'token-1' })).toMatchObject(
    token,
  );
});

it('refuses credentials that no operation would get', () => {
  const unused = [
    { post: {} },
    { post: { security: [] } },
    { post: { security: [{}] } },
    { post: { security: [{ bearer: [], header: [] }, { query: [] }] } },
    { post: {}, get: { operationId: 'left', security: [{ bearer: [] }] } },
  ];
  const make = (item: object, auth: OpenApiAuth = { bearer: 'secret-token' }): unknown =>
    toolsOf(documentOf({ '/x': item }, { components: { securitySchemes } }), {
      auth,
      operations: ({ name }) => name !== 'left',
    });
  for (const item of unused) {
    expect(() => make(item)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: expect.stringMatching(
          /^auth is not used: it has bearer, and no operation has a list/,
        ),
        details: { option: 'auth' },
      }),
    );
    expect(() => make(item)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('secret-token') }),
    );
    expect(() => make(item, {})).not.toThrow();
    expect(() => make(item, () => ({ authorization: 'x' }))).not.toThrow();
  }
  expect(() => make({ post: { security: [{ query: [] }, { bearer: [] }] } })).not.toThrow();
});

it('asks a function for the credentials of each call', async () => {
  const { baseUrl, received } = await serveEcho();
  let count = 0;
  const call = callerOf({
    baseUrl,
    document: document([{ bearer: [] }]),
    auth: { bearer: ({ caller }) => `${caller}-token-${++count}` },
  });
  await call('get');
  await call('get');
  expect(received.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer code-token-1',
    'Bearer code-token-2',
  ]);
});

it('does not let a program set or replace what carries credentials [host/openapi-credentials]', async () => {
  const [tool] = toolsOf(document([]));
  expect(Object.keys(tool?.inputSchema['properties'] as object)).toEqual(['filter', 'theme']);
  const all: OpenApiAuth = { header: 'right-key', query: 'right-key', cookie: 'right-key' };
  const input = { filter: { api_key: 'wrong', other: 'x' }, theme: 'a; sid=wrong' };
  // The credentials of another operation, or of none, are no business of a program either.
  const [members, own] = [{ api_key: 'wrong', sid: 'wrong', other: 'x' }, { header: 'right-key' }];
  expect(await sent([{ header: [] }], own, { filter: members, theme: members })).toMatchObject({
    url: '/x?sid=wrong&other=x',
    headers: { 'x-key': 'right-key', cookie: 'api_key=wrong; other=x' },
  });
  const exploded = { name: 'X-Filter', in: 'header', explode: true, schema: any };
  const get = { operationId: 'get', parameters: [exploded], security: [] };
  const { baseUrl, received } = await serveEcho();
  const api = documentOf({ '/x': { get } }, { components: { securitySchemes } });
  await callerOf({ baseUrl, document: api })('get', {
    'X-Filter': { 'x-KEY': 'wrong', Authorization: 'wrong', a: 'b' },
  });
  expect(received[0]?.headers['x-filter']).toBe('a=b');
  expect(await sent([{ header: [], query: [], cookie: [] }], all, input)).toMatchObject({
    url: '/x?other=x&api_key=right-key',
    headers: { cookie: 'theme=a%3B%20sid%3Dwrong; sid=right-key' },
  });
});

it('hides credentials that the service sends back, in results and in errors [host/openapi-credentials]', async () => {
  const secret = 'very-secret "token"';
  for (const status of [200, 403]) {
    const baseUrl = await serve(({ headers, url }, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ headers, url }));
    });
    const call = callerOf({
      baseUrl,
      document: document([{ header: [], query: [], basic: [] }]),
      auth: { header: secret, query: secret, basic: { username: 'me', password: 'pass-word-1' } },
    });
    const shown = JSON.stringify(await call('get'));
    expect(shown).toContain('(removed)');
    expect(shown).not.toContain('very-secret');
    expect(shown).not.toContain(Buffer.from('me:pass-word-1').toString('base64'));
  }
});

it('says that credentials cannot be had, without a part of them', async () => {
  const { baseUrl, received } = await serveEcho();
  const failing: readonly OpenApiAuth[] = [
    { bearer: () => Promise.reject(new Error('secret-token is old')) },
    { bearer: () => 'secret-token\r\nX-Evil: 1' },
    { bearer: () => '' },
    { bearer: () => ({ username: 'secret-token', password: 'x' }) },
    { basic: () => ({ user: 'me', pass: 'secret-token' }) as never },
    { basic: () => 'me:secret-token' },
    () => ({ authorization: 'secret-token\n' }),
    () => ({ 'bad name': 'secret-token' }),
    () => 'secret-token' as never,
  ];
  for (const auth of failing) {
    const call = callerOf({ baseUrl, document: document([{ bearer: [] }, { basic: [] }]), auth });
    expect(await call('get')).toEqual({
      type: 'Failed',
      message: 'the host has no usable credentials for this call',
    });
  }
  expect(received).toEqual([]);
});

it.each<[string, Record<string, unknown>, RegExp]>([
  [
    'an unknown scheme',
    { barer: 'secret-token' },
    /"barer" is not a security scheme.*Did you mean bearer\?$/,
  ],
  [
    'a scheme that is not supported',
    { digest: 'secret-token' },
    /"digest" is a security scheme of a type/,
  ],
  ['a token for basic', { basic: 'secret-token' }, /"basic" must be \{ username, password \}/],
  ['no text', { bearer: 7 }, /"bearer" must be text that is not empty/],
  [
    'a token with a line end',
    { bearer: 'secret-token\n' },
    /"bearer" has .* line end .* Remove it/,
  ],
  ['a key that is no Latin-1', { header: 'secret-token ✓' }, /"header" has a character/],
  [
    'the name of an inherited member',
    { constructor: 'secret-token' },
    /"constructor" is not a security scheme/,
  ],
])('refuses credentials for %s', (_what, auth, message) => {
  const make = (): unknown =>
    openApiTools({
      name: 'a',
      document: document([]),
      baseUrl: 'http://x',
      auth: auth as OpenApiAuth,
    });
  expect(make).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringMatching(message) }),
  );
  expect(make).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining('secret-token') }),
  );
});
