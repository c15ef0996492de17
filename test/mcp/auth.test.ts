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
import { callerOf } from './support.ts';

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
  const login = { issuer: server.issuer, ...CLIENT };
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
