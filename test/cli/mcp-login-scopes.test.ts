import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PUBLIC_CLIENT } from '../mcp/servers/login-server.ts';
import { addressOf, prepare } from './login-support.ts';

it('logs in with the client id of the file, at a server at which programs cannot register', async () => {
  const { server, logins, start } = await prepare({ oauth: { clientId: PUBLIC_CLIENT } });
  server.registers = false;
  const first = start();
  const address = await addressOf(first);
  expect(address.searchParams.get('client_id')).toBe(PUBLIC_CLIENT);
  await fetch(address);
  expect(await first.finished()).toMatchObject({ status: 0, stdout: 'somebody\n' });
  expect(server.received).not.toContain('redirect_uris');
  server.expire();
  expect(await start().finished()).toEqual({ status: 0, stdout: 'somebody\n', stderr: '' });
  expect(server.grants).toEqual(['authorization_code', 'refresh_token']);

  // The login of another client does not count.
  const path = join(logins, 'who.json');
  const kept = await readFile(path, 'utf8');
  await writeFile(path, kept.replace(PUBLIC_CLIENT, 'another'));
  const other = start();
  await addressOf(other);
  other.child.kill('SIGINT');
  expect((await other.finished()).status).toBe(130);
});

it('says that a server at which programs cannot register needs a client id', async () => {
  const { server, start } = await prepare();
  server.registers = false;
  const { status, stderr } = await start().finished();
  expect(status).toBe(1);
  expect(stderr).toContain('Register it by hand, and pass its client id or a token.');
});

it('asks for a further scope if a call needs it, and keeps those that it had', async () => {
  const { server, start } = await prepare();
  const first = start();
  const address = await addressOf(first);
  expect(address.searchParams.get('scope')).toBe('read');
  await fetch(address);
  expect(await first.finished()).toMatchObject({ status: 0, stdout: 'somebody\n' });

  server.callScope = 'write';
  const refused = await start().finished();
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('its token lacks a scope. Log in again, then connect again.');

  const second = start();
  const wider = await addressOf(second);
  expect(wider.searchParams.get('scope')).toBe('read write');
  await fetch(wider);
  expect(await second.finished()).toMatchObject({ status: 0, stdout: 'somebody\n' });
  server.expire();
  expect(await start().finished()).toEqual({ status: 0, stdout: 'somebody\n', stderr: '' });

  // A person cannot grant it, so nobody is asked again and again.
  server.callScope = 'admin';
  expect((await start().finished()).stderr).toContain('lacks a scope. Log in again');
  const third = start();
  await fetch(await addressOf(third));
  for (const started of [third, start()]) {
    expect((await started.finished()).stderr).toContain(
      'its token lacks a scope, although the login asked for it.',
    );
  }
});

it('serves clients although a call lacked a scope', async () => {
  const { server, start } = await prepare();
  const first = start();
  await fetch(await addressOf(first));
  await first.finished();
  server.callScope = 'write';
  await start().finished();
  const serving = start(['mcp', '--http', '0']);
  await expect.poll(() => serving.stderr).toContain('Listening at');
  serving.child.kill('SIGINT');
  expect((await serving.finished()).status).toBe(130);

  server.revoke();
  expect((await start(['mcp', '--http', '0']).finished()).stderr).toContain(
    'The MCP server who needs a login. Log in first: run `echo pass | sandboxed-ptc exec',
  );
});
