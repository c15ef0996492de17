import { expect, it } from 'vitest';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import { UserLogin } from '../../src/mcp/client/auth/user-login.ts';
import { logIn, MemoryStore, startLoginServer, visit, whoOf } from './login-support.ts';

it('uses the token that another process got, if both renew it at the same time', async () => {
  const server = await startLoginServer();
  const store = new MemoryStore();
  const first = await UserLogin.open(store);
  await logIn(server.url, first);
  let renewElsewhere = async (): Promise<unknown> => undefined;
  const slow = new MemoryStore();
  slow.read = async () => {
    const read = store.kept;
    // The other process renews it after this one has read it.
    await renewElsewhere();
    return read;
  };
  slow.write = async (login) => store.write(login);
  const one = await whoOf(server.url, first);
  const other = await whoOf(server.url, await UserLogin.open(slow));
  server.expire();
  renewElsewhere = async () => {
    renewElsewhere = async () => undefined;
    expect(await one()).toBe('somebody');
  };
  expect(await other()).toBe('somebody');
  expect(server.grants).toEqual(['authorization_code', 'refresh_token', 'refresh_token']);
});

it('keeps the new login of a person if a call with the old token lacks a scope after it', async () => {
  const server = await startLoginServer();
  server.callScope = 'write';
  const store = new MemoryStore();
  await logIn(server.url, await UserLogin.open(store));
  const call = await whoOf(server.url, await UserLogin.open(store));
  const lacks = { message: expect.stringContaining('its token lacks a scope. Log in again') };
  expect(await call()).toMatchObject(lacks);

  const second = await UserLogin.open(store);
  expect(second.lacksScope).toBe(true);
  await visit(second);
  const token = store.kept?.accessToken;
  expect(await call()).toMatchObject(lacks);
  expect(store.kept).toMatchObject({ accessToken: token, scope: 'read write' });
  expect((await UserLogin.open(store)).lacksScope).toBe(false);
  expect(await call()).toBe('somebody');
});

it('does not bring back a login that was deleted if a call lacks a scope after it', async () => {
  const server = await startLoginServer();
  server.callScope = 'write';
  const store = new MemoryStore();
  await logIn(server.url, await UserLogin.open(store));
  const call = await whoOf(server.url, await UserLogin.open(store));
  store.kept = undefined;
  expect(await call()).toMatchObject({ type: 'Unavailable' });
  expect(store.kept).toBeUndefined();
});

it('renews a login that another process has renewed if that token has expired, too', async () => {
  const server = await startLoginServer();
  const store = new MemoryStore();
  const first = await UserLogin.open(store);
  await logIn(server.url, first);
  const busy = await whoOf(server.url, first);
  const idle = await whoOf(server.url, await UserLogin.open(store));
  server.expire();
  expect(await busy()).toBe('somebody');
  server.expire();
  expect(await idle()).toBe('somebody');
  expect(await busy()).toBe('somebody');
  expect(server.grants).toEqual(['authorization_code', 'refresh_token', 'refresh_token']);
});

it('asks for the scopes that it was granted, too, if a call needs another one', async () => {
  const server = await startLoginServer();
  server.scope = '';
  server.grantedScope = 'read profile';
  server.callScope = 'write';
  const store = new MemoryStore();
  const login = await UserLogin.open(store);
  expect((await logIn(server.url, login)).searchParams.get('scope')).toBeNull();
  const call = await whoOf(server.url, login);
  server.expire();
  server.grantedScope = 'profile calendar';
  expect(await call()).toMatchObject({ message: expect.stringContaining('lacks a scope') });
  const wider = await visit(await UserLogin.open(store));
  expect(wider.searchParams.get('scope')).toBe('read profile calendar write');
  expect(await (await whoOf(server.url, await UserLogin.open(store)))()).toBe('somebody');

  server.grantedScope = 'x'.repeat(2001);
  server.expire();
  expect(await (await whoOf(server.url, await UserLogin.open(store)))()).toBe('somebody');
  expect(store.kept?.scope).toBe('read profile calendar write');
});

it('asks for offline_access if the authorization server has it, and renews the login then', async () => {
  const server = await startLoginServer();
  server.givesRefreshTokens = 'offline';
  const login = await UserLogin.open(new MemoryStore());
  const visited = await logIn(server.url, login);
  expect(visited.searchParams.get('scope')).toBe('read offline_access');
  expect(server.received).toContain('"scope":"read offline_access"');
  const call = await whoOf(server.url, login);
  server.expire();
  expect(await call()).toBe('somebody');
  expect(server.grants).toEqual(['authorization_code', 'refresh_token']);
});

it('does not ask for offline_access if the authorization server chooses the scopes', async () => {
  const server = await startLoginServer();
  server.scope = '';
  server.givesRefreshTokens = 'offline';
  const visited = await logIn(server.url, await UserLogin.open(new MemoryStore()));
  expect(visited.searchParams.get('scope')).toBeNull();
});

it('logs in to an authorization server that does not say that it knows PKCE', async () => {
  const server = await startLoginServer();
  server.namesChallengeMethods = false;
  const login = await UserLogin.open(new MemoryStore());
  const visited = await logIn(server.url, login);
  expect(visited.searchParams.get('code_challenge_method')).toBe('S256');
  expect(await (await whoOf(server.url, login))()).toBe('somebody');
});

const METADATA = '/.well-known/oauth-authorization-server';

it.each([
  ['/token', 503],
  ['/token', 429],
  [METADATA, 502],
  [METADATA, 500],
])('needs no login while %s answers with %i', async (path, status) => {
  const server = await startLoginServer();
  const login = await UserLogin.open(new MemoryStore());
  await logIn(server.url, login);
  const call = await whoOf(server.url, login);
  server.expire();
  server.failures.set(path, status);
  const problem =
    'its authorization server did not answer, so the login could not be renewed. Try again later.';
  expect(await call()).toMatchObject({
    type: 'Unavailable',
    message: expect.stringContaining(problem),
  });
  const connecting = mcpTools({ name: 'who', url: server.url, auth: { provider: login } });
  await expect(connecting).rejects.toMatchObject({
    code: 'MCP_SERVER_FAILED',
    message: `The MCP server who cannot be used: ${problem}`,
  });
  server.failures.clear();
  expect(await call()).toBe('somebody');
});

it.each([
  ['/token', 400],
  [METADATA, 404],
])('needs a login if %s answers with %i', async (path, status) => {
  const server = await startLoginServer();
  const login = await UserLogin.open(new MemoryStore());
  await logIn(server.url, login);
  const call = await whoOf(server.url, login);
  server.expire();
  server.failures.set(path, status);
  expect(await call()).toMatchObject({ message: expect.stringContaining('it needs a login.') });
});
