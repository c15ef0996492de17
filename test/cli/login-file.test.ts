import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LoginFile } from '../../src/cli/mcp/login-file.ts';
import { UserLogin } from '../../src/mcp/client/auth/user-login.ts';
import { logIn, startLoginServer, whoOf } from '../mcp/login-support.ts';

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'login-file-'));
  onTestFinished(async () => rm(directory, { recursive: true }));
  return directory;
}

it('lets one process renew a login at a time, and the others use its token', async () => {
  const server = await startLoginServer();
  const directory = await makeDirectory();
  const open = async (): Promise<UserLogin> =>
    UserLogin.open(new LoginFile('who', server.url, directory));
  await logIn(server.url, await open());
  const calls = [];
  for (let count = 0; count < 4; count += 1) calls.push(await whoOf(server.url, await open()));
  server.expire();
  const called = await Promise.all(calls.map(async (call) => call()));
  expect(called).toEqual(calls.map(() => 'somebody'));
  expect(server.grants).toEqual(['authorization_code', 'refresh_token']);
});

it('does not wait for itself if a renewal is refused for lack of a scope', async () => {
  const server = await startLoginServer();
  const login = await UserLogin.open(new LoginFile('who', server.url, await makeDirectory()));
  await logIn(server.url, login);
  const call = await whoOf(server.url, login);
  server.expire();
  server.tokenPath = '/mcp';
  expect(await call()).toMatchObject({ message: expect.stringContaining('it needs a login.') });
});

it('keeps no login that it would not read', async () => {
  const directory = await makeDirectory();
  const file = new LoginFile('who', 'https://example.com/mcp', directory);
  const login = { issuer: 'https://example.com', client: { client_id: 'a' }, accessToken: 'b' };
  await file.write(login);
  await expect(file.write({ ...login, accessToken: 'c'.repeat(70_000) })).rejects.toThrow(
    /^The login cannot be kept at \S+who\.json: it has 70\d{3} bytes, and at most 65536 are kept\. Put a token into headers/,
  );
  expect(await file.read()).toEqual(login);
});
