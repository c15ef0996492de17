import { expect, it, onTestFinished } from 'vitest';
import { UserLogin, type KeptLogin } from '../../src/mcp/client/auth/user-login.ts';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import { LoginServer } from './servers/login-server.ts';
import { callerOf } from './support.ts';

/** Logs in to a server, as a person does in a browser. */
async function logIn(url: string, login: UserLogin): Promise<void> {
  const options = { name: 'who', url, auth: { provider: login } };
  await expect(mcpTools(options)).rejects.toMatchObject({ code: 'MCP_LOGIN_REQUIRED' });
  await login.logIn({
    redirectUrl: 'http://127.0.0.1:1/callback',
    state: 'state',
    visit: async (address) => {
      const { headers } = await fetch(address, { redirect: 'manual' });
      return new URL(headers.get('location') ?? '').searchParams;
    },
    signal: new AbortController().signal,
  });
}

it('uses the token that another process got, if both renew it at the same time', async () => {
  const server = await LoginServer.start();
  onTestFinished(async () => server[Symbol.asyncDispose]());
  let kept: KeptLogin | undefined;
  const write = async (login: KeptLogin): Promise<void> => void (kept = login);
  const first = await UserLogin.open({ read: async () => kept, write });
  await logIn(server.url, first);
  let renewElsewhere = async (): Promise<unknown> => undefined;
  const second = await UserLogin.open({
    read: async () => {
      const read = kept;
      // The other process renews it after this one has read it.
      await renewElsewhere();
      return read;
    },
    write,
  });
  const [one, other] = [
    await callerOf({ name: 'who', url: server.url, auth: { provider: first } }),
    await callerOf({ name: 'who', url: server.url, auth: { provider: second } }),
  ];
  server.expire();
  renewElsewhere = async () => {
    renewElsewhere = async () => undefined;
    expect(await one.call('who')).toBe('somebody');
  };
  expect(await other.call('who')).toBe('somebody');
  expect(server.grants).toEqual(['authorization_code', 'refresh_token', 'refresh_token']);
});
