import { inspect } from 'node:util';
import { auth } from '@modelcontextprotocol/client';
import type {
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import type { McpAuth } from '../../src/mcp/client/auth/auth-options.ts';
import { CLIENT, LoginServer } from './servers/login-server.ts';
import { callerOf, warningsOf } from './support.ts';

async function startServer(): Promise<LoginServer> {
  const server = await LoginServer.start();
  onTestFinished(async () => server[Symbol.asyncDispose]());
  return server;
}

/** Connects, which must fail, and shows all of the error, even what JSON leaves out. */
async function failureOf(
  server: LoginServer,
  login: McpAuth,
): Promise<{ error: unknown; all: string }> {
  const error: unknown = await mcpTools({ name: 'who', url: server.url, auth: login }).then(
    async (source) => source.close(),
    (thrown: unknown) => thrown,
  );
  return { error, all: inspect(error, { depth: 9, showHidden: true }) };
}

it('logs in with client credentials, and again when the token has expired', async () => {
  const server = await startServer();
  const login = { issuer: server.issuer, ...CLIENT, scope: 'read' };
  const { call } = await callerOf({ name: 'who', url: server.url, auth: login });
  expect(await call('who')).toBe('somebody');
  expect(server.grants).toEqual(['client_credentials']);
  server.expire();
  expect(await Promise.all([call('who'), call('who')])).toEqual(['somebody', 'somebody']);
  expect(new Set(server.grants)).toEqual(new Set(['client_credentials']));
  expect(server.received).toContain('scope=read');
});

it('says that client credentials are wrong, without the secret that the server quotes', async () => {
  const server = await startServer();
  const wrong = { issuer: server.issuer, clientId: 'machine', clientSecret: 'wrong-secret' };
  const { error, all } = await failureOf(server, wrong);
  expect(error).toMatchObject({
    code: 'MCP_SERVER_FAILED',
    message:
      'The MCP server who cannot be used: its authorization server refused the login (invalid_client). Check issuer, clientId, clientSecret and scope of auth.',
    details: { server: 'who' },
  });
  expect(server.received).toContain(Buffer.from('machine:wrong-secret').toString('base64'));
  expect(all).not.toMatch(/wrong-secret|bWFjaGluZ/);
});

it('sends the secret only to the authorization server that was given [host/login-secret]', async () => {
  const [server, other] = [await startServer(), await startServer()];
  server.authorizationServers = [other.issuer];
  const { error } = await failureOf(server, { issuer: server.issuer, ...CLIENT });
  expect(error).toBeUndefined();
  expect(other.received).toBe('');
  const unknown = await failureOf(server, { issuer: `${server.issuer}/elsewhere`, ...CLIENT });
  expect(unknown.error).toMatchObject({
    code: 'MCP_SERVER_FAILED',
    message: expect.stringContaining('there is no authorization server at the address'),
  });
});

it('requests no scope but the one that was given, whatever the server asks for', async () => {
  const server = await startServer();
  server.scope = 'admin';
  const login = { issuer: server.issuer, ...CLIENT };
  expect((await failureOf(server, login)).error).toBeUndefined();
  expect(server.received).not.toContain('scope=');
  expect((await failureOf(server, { ...login, scope: 'read' })).error).toBeUndefined();
  expect(server.received).toContain('scope=read');
  expect(server.received).not.toContain('admin');
});

it('requests a token for the server, even if there is no document about it', async () => {
  const server = await startServer();
  const login = { issuer: server.issuer, ...CLIENT };
  const resource = `resource=${encodeURIComponent(server.url)}`;
  server.documentStatus = 404;
  expect((await failureOf(server, login)).error).toBeUndefined();
  expect(server.received).toContain(resource);
  server.documentStatus = 500;
  expect((await failureOf(server, login)).error).toMatchObject({
    code: 'MCP_SERVER_FAILED',
    message: expect.stringContaining('its document about its login could not be read'),
  });
  expect(server.grants).toHaveLength(1);
});

it('sends the headers of the server to no authorization server elsewhere [host/login-headers]', async () => {
  const [server, other] = [await startServer(), await startServer()];
  server.authorizationServers = [other.issuer];
  const logins = [{ issuer: other.issuer, ...CLIENT }, { provider: new Provider() }];
  for (const login of logins) {
    const headers = { 'X-Key': 'secret-key' };
    const refused = mcpTools({ name: 'who', url: server.url, headers, auth: login });
    await expect(refused).rejects.toMatchObject({ details: { server: 'who' } });
  }
  expect(other.grants).toEqual(['client_credentials']);
  expect(other.received).toContain('redirect_uris');
  expect(other.received).not.toContain('secret-key');
  expect([...server.keys]).toEqual(['secret-key']);
});

it('cannot have a token in the headers besides', async () => {
  const headers = { AUTHORIZATION: 'Bearer secret-token' };
  const login = { issuer: 'https://a', ...CLIENT };
  const refused = mcpTools({ name: 'a', url: 'https://a', headers, auth: login });
  await expect(refused).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message:
      'mcpTools cannot use the header Authorization with auth, for the server a. Remove one.',
  });
});

/** A token that the server accepts. */
async function tokenOf(server: LoginServer): Promise<string> {
  const { clientId, clientSecret } = CLIENT;
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const response = await fetch(`${server.issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

const PROVIDERS = [
  [
    'a provider of OAuth',
    (token: () => string) => {
      const provider = new Provider();
      provider.tokens = () => ({ access_token: token(), token_type: 'Bearer' });
      return provider;
    },
  ],
  ['a provider of tokens', (token: () => string) => Object.freeze({ token: async () => token() })],
] as const;

it.each(PROVIDERS)('does not show a token that cannot be sent, of %s', async (_what, make) => {
  const server = await startServer();
  const { error, all } = await failureOf(server, { provider: make(() => 's3cret\nof file') });
  expect(error).toMatchObject({ code: 'MCP_SERVER_FAILED' });
  expect(all).toContain('its token has a line end');
  expect(all).not.toContain('s3cret');
});

it('does not show a token of an authorization server that cannot be sent', async () => {
  const server = await startServer();
  server.tokenEnd = '\ns3cret';
  const { error, all } = await failureOf(server, { issuer: server.issuer, ...CLIENT });
  expect(error).toMatchObject({ code: 'MCP_SERVER_FAILED' });
  expect(all).toContain('its token has a line end');
  expect(all).not.toContain('s3cret');
});

it.each(PROVIDERS)('tells programs nothing about what fails in %s', async (_what, make) => {
  const warnings = warningsOf('PTC_MCP_LOGIN');
  const server = await startServer();
  const token = await tokenOf(server);
  let isBroken = false;
  const provider = make(() => {
    if (isBroken) throw new Error('/home/me/secret-file is locked');
    return token;
  });
  const { call } = await callerOf({ name: 'who', url: server.url, auth: { provider } });
  expect(await call('who')).toBe('somebody');
  isBroken = true;
  expect(await call('who')).toMatchObject({
    type: 'Unavailable',
    message:
      'the MCP server who did not carry the call out: its login could not be read, renewed or kept. A warning of the process (PTC_MCP_LOGIN) says why.',
  });
  await expect
    .poll(() => warnings)
    .toEqual([
      'The login to the MCP server who failed in its provider: /home/me/secret-file is locked',
    ]);
  const { error, all } = await failureOf(server, { provider });
  expect(error).toMatchObject({ code: 'MCP_SERVER_FAILED' });
  expect(all).toContain('its login could not be read');
  expect(all).not.toContain('secret-file');
  isBroken = false;
  expect(await call('who')).toBe('somebody');
});

/** A provider of the official client, as an application of a user has it. */
class Provider implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:1/callback';
  readonly clientMetadata = { client_name: 'test', redirect_uris: [this.redirectUrl] };
  visited: URL | undefined;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = '';

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client;
  }
  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }
  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }
  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.visited = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
}

it('logs a person in with a provider of the user, and renews the token', async () => {
  const server = await startServer();
  const provider = new Provider();
  const { error } = await failureOf(server, { provider });
  expect(error).toMatchObject({
    code: 'MCP_LOGIN_REQUIRED',
    message: 'The MCP server who cannot be used: it needs a login. Log in, then connect again.',
    details: { server: 'who' },
  });
  const visit = await fetch(provider.visited ?? '', { redirect: 'manual' });
  const query = new URL(visit.headers.get('location') ?? '').searchParams;
  await auth(provider, {
    serverUrl: server.url,
    authorizationCode: query.get('code') ?? '',
    iss: query.get('iss') ?? '',
  });
  const { call } = await callerOf({ name: 'who', url: server.url, auth: { provider } });
  expect(await call('who')).toBe('somebody');
  server.expire();
  expect(await call('who')).toBe('somebody');
  expect(server.grants).toEqual(['authorization_code', 'refresh_token']);
  const secret = provider.tokens()?.refresh_token ?? '';
  server.revoke();
  const written = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => written.mockRestore());
  expect(await call('who')).toMatchObject({
    type: 'Unavailable',
    message: expect.stringMatching(/^the MCP server who did not carry the call out: it/),
  });
  expect(server.received).toContain(secret);
  expect(JSON.stringify(written.mock.calls)).not.toContain(secret);
});

it('says that a login has expired, if nothing can renew it', async () => {
  const server = await startServer();
  const provider = { token: async () => Promise.resolve('expired-token') };
  const { error, all } = await failureOf(server, { provider });
  expect(error).toMatchObject({ code: 'MCP_LOGIN_REQUIRED' });
  expect(all).not.toContain('expired-token');
});

it.each([
  [{}, 'auth: issuer must be a text'],
  [{ issuer: 'https://a', clientId: 'b' }, 'auth: clientSecret must be a text'],
  [{ issuer: 'https://a', clientId: 'b', clientSecret: 12_345_678 }, 'auth: clientSecret must be'],
  [{ issuer: 'example.com', ...CLIENT }, 'auth: issuer must be an address that begins with http'],
  [{ issuer: 'https://a', ...CLIENT, scope: ['read'] }, 'auth: scope must be a text'],
  [{ provider: {} }, 'auth: provider must be an OAuthClientProvider or an AuthProvider'],
  [{ provider: { token() {} }, ...CLIENT }, 'auth: clientId cannot be used with provider'],
  [{ secret: 'x' }, 'auth has no option secret. Did you mean clientSecret?'],
])('refuses the login %j without showing a value', async (login, message) => {
  const refused = mcpTools({ name: 'a', url: 'http://127.0.0.1:1', auth: login as never });
  const error = (await refused.catch((thrown: unknown) => thrown)) as Error;
  expect(error).toMatchObject({ code: 'OPTION_INVALID' });
  expect(error.message).toContain(message);
  expect(inspect(error, { depth: 9 })).not.toMatch(/12345678|secret-of/);
});

it('cannot be used with a server that is started', async () => {
  const server = { name: 'a', command: 'true', auth: { issuer: 'https://a', ...CLIENT } };
  await expect(mcpTools(server as never)).rejects.toThrow('mcpTools cannot use auth with command');
});
