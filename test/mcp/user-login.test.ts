import { expect, it } from 'vitest';
import { UserLogin } from '../../src/mcp/client/auth/user-login.ts';
import { logIn, MemoryStore, startLoginServer, whoOf } from './login-support.ts';

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
