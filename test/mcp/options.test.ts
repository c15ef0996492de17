import { inspect } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import { CLIENT, LoginServer } from './servers/login-server.ts';
import { callerOf, scriptedServer, scriptedTool } from './support.ts';

// JavaScript, and TypeScript without exactOptionalPropertyTypes, make such objects.
const UNDEFINED = { client: undefined, url: undefined, command: undefined } as object;

it('takes an option that is undefined as one that was not given', async () => {
  const started = scriptedServer({ tools: [scriptedTool('t')], results: { t: { content: [] } } });
  const byCommand = await callerOf({ ...UNDEFINED, ...started });
  expect(await byCommand.call('t')).toBeNull();
  const server = await LoginServer.start();
  onTestFinished(async () => server[Symbol.asyncDispose]());
  const auth = { provider: undefined, issuer: server.issuer, ...CLIENT };
  const byUrl = await callerOf({ ...UNDEFINED, name: 'who', url: server.url, auth });
  expect(await byUrl.call('who')).toBe('somebody');
});

it('refuses a user name and a password in the address, without showing them', async () => {
  for (const login of ['user:pass', 'user', ':pass']) {
    await expect(
      mcpTools({ name: 'who', url: `http://${login}@127.0.0.1:1/mcp` }),
    ).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message:
        'url must be an address without a user name and a password. Pass them in headers, as Authorization, or log in with auth. See docs/mcp.md.',
      details: { option: 'url' },
    });
  }
});

it.each([
  ['headers', { url: 'http://127.0.0.1:1/mcp', headers: { authorization: 'Bearer s3cret\nx: y' } }],
  ['headers', { url: 'http://127.0.0.1:1/mcp', headers: { authorization: 'Bearer s3cret…' } }],
  ['headers', { url: 'http://127.0.0.1:1/mcp', headers: { 'not a name': 's3cret' } }],
  ['env', { command: process.execPath, env: { TOKEN: 's3cret\0' } }],
])(
  'refuses %s that cannot be sent, without showing a secret in them: %o',
  async (option, server) => {
    const error: unknown = await mcpTools({ name: 's', ...server }).catch((one: unknown) => one);
    expect(error).toMatchObject({ code: 'OPTION_INVALID', details: { option } });
    expect(inspect(error)).not.toContain('s3cret');
  },
);

it('says that a command cannot be started, or not in its directory', async () => {
  const server = { name: 's', command: process.execPath, cwd: '/no such directory' };
  await expect(mcpTools(server)).rejects.toMatchObject({
    code: 'MCP_SERVER_FAILED',
    message: expect.stringContaining('Install it, or correct command or cwd.'),
  });
});
