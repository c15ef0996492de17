import { expect, it, onTestFinished, vi } from 'vitest';
import { logIn } from '../../src/cli/mcp/log-in.ts';
import { UserLogin } from '../../src/mcp/client/auth/user-login.ts';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import { MemoryStore, startLoginServer } from '../mcp/login-support.ts';
import type { LoginServer } from '../mcp/servers/login-server.ts';

/** Logs in as the command line does. @param visit - Gets the address that it shows. */
async function logInTo(
  server: LoginServer,
  visit: (address: string) => unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const login = await UserLogin.open(new MemoryStore());
  const options = { name: 'who', url: server.url, auth: { provider: login } };
  await expect(mcpTools(options)).rejects.toMatchObject({ code: 'MCP_LOGIN_REQUIRED' });
  const written = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    const [address] = /http:\S+/.exec(String(text)) ?? [];
    if (address !== undefined) visit(address);
    return true;
  });
  onTestFinished(() => written.mockRestore());
  await logIn(options, login, signal);
}

const METADATA = '/.well-known/oauth-authorization-server';

it.each([
  [
    'cannot be reached',
    (server: LoginServer) => (server.authorizationServers = ['http://127.0.0.1:1']),
  ],
  ['fails', (server: LoginServer) => server.failures.set(METADATA, 500)],
  ['has no metadata of JSON', (server: LoginServer) => server.failures.set(METADATA, 200)],
  ['gives no token', (server: LoginServer) => server.failures.set('/token', 200)],
])(
  'names the server to which a login fails because its authorization server %s',
  async (_what, spoil) => {
    const server = await startLoginServer();
    spoil(server);
    await expect(logInTo(server, fetch)).rejects.toMatchObject({
      code: 'MCP_SERVER_FAILED',
      message:
        'The login to the MCP server who failed: its authorization server cannot be reached, or its answers cannot be used. Try again later, or tell the operator of the server.',
      details: { server: 'who' },
      cause: expect.any(Error),
    });
  },
);

it('says that a login was aborted', async () => {
  const stop = new AbortController();
  const loggingIn = logInTo(await startLoginServer(), () => stop.abort(), stop.signal);
  await expect(loggingIn).rejects.toMatchObject({
    code: 'ABORTED',
    message: expect.stringContaining('The login to the MCP server who was aborted'),
  });
});
