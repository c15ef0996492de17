import { once } from 'node:events';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { logIn } from '../../src/cli/mcp/log-in.ts';
import { UserLogin } from '../../src/mcp/client/auth/user-login.ts';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import { MemoryStore } from '../mcp/login-support.ts';
import { addressOf, prepare } from './login-support.ts';

it('asks the user for a login once, keeps it for the user only, and renews it [host/login-files, host/login-tokens]', async () => {
  const { server, logins, start } = await prepare();
  const first = start();
  const address = await addressOf(first);
  expect(first.stderr).toContain('The MCP server who needs a login.');
  const back = new URL(address.searchParams.get('redirect_uri') ?? '');
  expect(back.hostname).toBe('127.0.0.1');
  for (const query of ['?code=x&state=wrong', '?code=x', '?state=']) {
    expect((await fetch(back.href + query)).status).toBe(404);
  }
  // `fetch` would not send it.
  const wrong = request({ hostname: back.hostname, port: back.port, path: '//' }).end();
  const [answer] = await once(wrong, 'response');
  expect(answer.statusCode).toBe(404);
  answer.resume();
  const page = await fetch(address);
  expect(await page.text()).toContain('You can close this window');
  expect(await first.finished()).toMatchObject({ status: 0, stdout: 'somebody\n' });
  await expect(fetch(back)).rejects.toThrow('fetch failed');

  expect(await readdir(logins)).toEqual(['who.json']);
  const path = join(logins, 'who.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(logins)).mode & 0o777).toBe(0o700);
  const kept = JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
  for (const secret of [kept['accessToken'], kept['refreshToken']]) {
    expect(first.stderr).not.toContain(secret);
  }

  expect(await start().finished()).toEqual({ status: 0, stdout: 'somebody\n', stderr: '' });
  server.expire();
  expect(await start().finished()).toEqual({ status: 0, stdout: 'somebody\n', stderr: '' });
  expect(server.grants).toEqual(['authorization_code', 'refresh_token']);

  // The login of another server with this name is not sent.
  await writeFile(path, JSON.stringify({ ...kept, url: 'http://127.0.0.1:1/mcp' }));
  const other = start();
  await addressOf(other);
  other.child.kill('SIGINT');
  expect((await other.finished()).status).toBe(130);

  await chmod(path, 0o644);
  expect(await start().finished()).toEqual({
    status: 2,
    stdout: '',
    stderr: `error: The login at ${path} cannot be used: others can use it, because its mode is 644. Delete it, and log in again.\n`,
  });
  await chmod(path, 0o600);
  await chmod(logins, 0o750);
  expect((await start().finished()).stderr).toContain(
    `${logins} cannot be used: others can use it`,
  );
  await chmod(logins, 0o700);
  await writeFile(path, '{"accessToken": "secret-token", ');
  const broken = await start().finished();
  expect(broken).toMatchObject({ status: 2, stderr: expect.stringContaining('it is not a login') });
  expect(broken.stderr).not.toContain('secret-token');
});

it('says that a person refused, or that the authorization server does', async () => {
  const { server, start } = await prepare();
  const started = start();
  const address = await addressOf(started);
  const back = new URL(address.searchParams.get('redirect_uri') ?? '');
  back.searchParams.set('state', address.searchParams.get('state') ?? '');
  back.searchParams.set('error', 'access_denied');
  await fetch(back);
  expect(await started.finished()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(
      'MCP_SERVER_FAILED: The MCP server who cannot be used: its authorization server refused the login (access_denied). Log in again.',
    ),
  });
  const wrong = start();
  const second = await addressOf(wrong);
  back.port = new URL(second.searchParams.get('redirect_uri') ?? '').port;
  back.searchParams.set('state', second.searchParams.get('state') ?? '');
  back.searchParams.delete('error');
  back.searchParams.set('code', 'stolen-code');
  back.searchParams.set('iss', 'https://attacker.example');
  await fetch(back);
  const { status, stderr } = await wrong.finished();
  expect(status).toBe(1);
  expect(stderr).toContain('its authorization server has another issuer than expected');
  expect(stderr).not.toMatch(/attacker|stolen-code/);
  expect(server.grants).toEqual([]);
});

it.each([[['mcp']], [['mcp', '--http', '0']]])('does not wait for a login in %j', async (args) => {
  const { start } = await prepare();
  expect(await start(args).finished()).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'MCP_LOGIN_REQUIRED: The MCP server who needs a login. Log in first: run `echo pass | sandboxed-ptc exec --mcp mcp.json -` in a terminal.\n',
  });
});

it('gives up waiting for a login in the end', async () => {
  const { server } = await prepare();
  const login = await UserLogin.open(new MemoryStore());
  const options = { name: 'who', url: server.url, auth: { provider: login } };
  await expect(mcpTools(options)).rejects.toMatchObject({ code: 'MCP_LOGIN_REQUIRED' });
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  await expect(logIn(options, login, new AbortController().signal, 1)).rejects.toMatchObject({
    code: 'MCP_LOGIN_REQUIRED',
    message: 'Nobody logged in to the MCP server who in time. Run the command again.',
  });
});
