import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  RUN_CLI,
  requireBuild,
  runCli,
  startNode,
  type StartedProcess,
} from '../support/built-package.ts';
import { descendantsOf } from '../support/descendants.ts';
import { serverWith } from './mcp-support.ts';
import { JAVASCRIPT_SANDBOX, ProgramDirectory } from './support.ts';

const TOOLS = `
console.log('loaded');
process.stdout.write('written\\n');
export default [{
  name: 'double',
  description: 'Doubles a number.',
  inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  run: ({ n }) => { console.log('called'); return 2 * n; },
}];
setInterval(() => {}, 1000);`;

const STARTED = `export default [{ name: 'started', description: 'Says so.', run: () => 1 }];`;

const WITH_POLICY = `
export const policy = { rules: [
  { tool: 'pay', action: 'ask' },
  { tool: 'shop:buy', action: 'deny', reason: 'the budget is spent' },
] };
export default [{ name: 'pay', description: 'Pays.', run: () => 'paid' }];`;

const ARGUMENTS = ['mcp', ...JAVASCRIPT_SANDBOX];

/** Starts the command, and connects the official client to it. */
async function startClient(
  cwd: string,
  args: readonly string[],
  { readsErrors = true } = {},
): Promise<{ client: Client; errors: readonly unknown[]; printed: () => string }> {
  const transport = new StdioClientTransport({
    command: 'bash',
    args: [
      '-c',
      readsErrors ? 'exec "$@"' : 'exec "$@" 2> >(exit)',
      'bash',
      process.execPath,
      ...RUN_CLI,
      ...ARGUMENTS,
      ...args,
    ],
    cwd,
    stderr: 'pipe',
  });
  let printed = '';
  transport.stderr?.on('data', (text) => {
    printed += String(text);
  });
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
  );
  const errors: unknown[] = [];
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
  client.onerror = (error) => void errors.push(error);
  await client.connect(transport);
  onTestFinished(async () => client.close());
  return { client, errors, printed: () => printed };
}

describe('mcp', () => {
  it('serves the official client, with a tools module that prints', async () => {
    requireBuild();
    await using directory = await ProgramDirectory.with({ 'tools.mjs': TOOLS });
    const { client, errors, printed } = await startClient(directory.path, ['--tools', 'tools.mjs']);
    const code = 'console.log(await double({ n: 21 }))';
    expect(await client.callTool({ name: 'execute_code', arguments: { code } })).toMatchObject({
      content: [{ type: 'text', text: '42' }],
      structuredContent: { status: 'ok', toolCalls: 1 },
    });
    expect(errors).toEqual([]);
    expect(printed()).toMatch(/loaded\nwritten\n[^]*called\n/);
  });

  it('goes on if nobody reads its messages any more', async () => {
    requireBuild();
    await using directory = await ProgramDirectory.with({ 'tools.mjs': TOOLS });
    const args = ['--tools', 'tools.mjs'];
    const { client } = await startClient(directory.path, args, { readsErrors: false });
    const code = 'console.log(await double({ n: 21 }))';
    for (let time = 0; time < 2; time += 1) {
      expect(await client.callTool({ name: 'execute_code', arguments: { code } })).toMatchObject({
        content: [{ type: 'text', text: '42' }],
      });
    }
  });

  it('puts the tools of several servers behind one', async () => {
    const servers = Object.fromEntries(
      ['first', 'second', 'third'].map((name) => [name, serverWith('say', `${name}!`)]),
    );
    const file = JSON.stringify({ mcpServers: servers });
    await using directory = await ProgramDirectory.with({ 'mcp.json': file });
    const { client } = await startClient(directory.path, ['--mcp', 'mcp.json']);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['execute_code']);
    const code = 'console.log(await first.say(), await second.say(), await third.say())';
    expect(await client.callTool({ name: 'execute_code', arguments: { code } })).toMatchObject({
      content: [{ type: 'text', text: 'first! second! third!' }],
      structuredContent: { status: 'ok', toolCalls: 3 },
    });
  });

  it('decides about calls, also of the tools of servers, by the policy of the module', async () => {
    const file = JSON.stringify({ mcpServers: { shop: serverWith('buy', 'bought') } });
    await using directory = await ProgramDirectory.with({
      'tools.mjs': WITH_POLICY,
      'mcp.json': file,
    });
    const args = ['--tools', 'tools.mjs', '--mcp', 'mcp.json'];
    const { client } = await startClient(directory.path, args);
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return asked.length === 1
        ? { action: 'accept', content: { approve: true } }
        : { action: 'decline' };
    });
    const code = `for (const call of [pay, pay, shop.buy]) {
      console.log(await call().catch((error) => error.message));
    }`;
    const { content } = await client.callTool({ name: 'execute_code', arguments: { code } });
    const [{ text = '' } = {}] = content as { readonly text?: string }[];
    expect(text.split('\n')).toEqual([
      'paid',
      'pay failed (Rejected): it was not approved: the user of the client did not approve it',
      'shop.buy failed (Denied): the policy denies it: the budget is spent',
    ]);
    expect(asked).toEqual([expect.stringContaining('pay'), expect.stringContaining('pay')]);
  });

  it('says which server of a file it cannot use, and ends', async () => {
    const file = JSON.stringify({ mcpServers: { gone: { command: 'no-such-command' } } });
    await using directory = await ProgramDirectory.with({ 'mcp.json': file });
    const ended = await runCli([...ARGUMENTS, '--mcp', 'mcp.json'], { cwd: directory.path });
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toContain('The MCP server gone cannot be used');
  });

  it('ends with status 0 and prints nothing if its input ends', async () => {
    expect(await runCli(ARGUMENTS)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it.each([
    [['--tools', 'nowhere.mjs'], 'error: nowhere.mjs cannot be loaded'],
    [['--language', 'perl'], "error: option '--language <names...>' argument 'perl' is invalid"],
    [['--http', '99999'], "error: option '--http <port>' argument '99999' is invalid"],
    [['--host', '0.0.0.0'], 'error: --host needs --http.'],
    [
      ['--http', '0', '--host', '0.0.0.0'],
      'error: --token-env and --token-file: Other machines can reach 0.0.0.0',
    ],
    [['--http', '0', '--token-env', 'NO_SUCH_TOKEN'], 'error: --token-env NO_SUCH_TOKEN'],
    [['--http', '0', '--token-file', 'no-such-file'], 'error: --token-file no-such-file'],
    [['--timeout', '0'], "error: option '--timeout <ms>' argument '0' is invalid"],
    [['--nowhere'], "error: unknown option '--nowhere'. See sandboxed-ptc mcp --help."],
  ])('refuses %j', async (args, message) => {
    const { status, stdout, stderr } = await runCli([...ARGUMENTS, ...args]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('mcp --http', () => {
  it('listens for callers with a token, without the spaces around it, until it gets a signal', async () => {
    const tokens = 'token-of-the-test-2\r\n\n \ttoken-of-the-test-1 \t\r\n';
    await using directory = await ProgramDirectory.with({ tokens });
    const started = startNode([...RUN_CLI, ...ARGUMENTS, '--http', '0', '--token-file', 'tokens'], {
      cwd: directory.path,
    });
    await expect.poll(() => started.stderr).toMatch(/^Listening at .*\/mcp\n$/);
    const url = started.stderr.slice('Listening at '.length).trim();
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
    const headers = { authorization: 'Bearer token-of-the-test-1' };
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
    );
    expect((await client.listTools()).tools).toMatchObject([{ name: 'execute_code' }]);
    started.child.kill('SIGTERM');
    expect(await started.finished()).toMatchObject({ status: 143, stdout: '' });
    await client.close();
  });
});

/** Starts a program that does not end. */
async function startEndless(directory: ProgramDirectory): Promise<StartedProcess> {
  const started = startNode([...RUN_CLI, ...ARGUMENTS, '--tools', 'started.mjs'], {
    cwd: directory.path,
  });
  const send = (message: object): void =>
    void started.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  send({ id: 1, method: 'initialize', params });
  await started.printed('"id":1');
  send({ method: 'notifications/initialized' });
  const code = 'await started();\nfor (;;);';
  const call = { name: 'execute_code', arguments: { code } };
  const meta = { ['_meta']: { progressToken: 'program' } };
  send({ id: 2, method: 'tools/call', params: { ...call, ...meta } });
  await started.printed('"progressToken":"program"');
  return started;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A module that sends the signal to its process when the command begins to listen to signals. */
const SIGNALLED = `
process.on('newListener', (name) => {
  if (name === 'SIGTERM') setImmediate(() => process.kill(process.pid, 'SIGTERM'));
});
${STARTED}`;

describe('the end of mcp while it starts', () => {
  it.each([[[]], [['--http', '0']]])('with %j has the status of the signal', async (args) => {
    await using directory = await ProgramDirectory.with({ 'tools.mjs': SIGNALLED });
    const started = startNode([...RUN_CLI, ...ARGUMENTS, '--tools', 'tools.mjs', ...args], {
      cwd: directory.path,
    });
    expect(await started.finished()).toEqual({ status: 143, stdout: '', stderr: '' });
  });
});

describe('the end of mcp while a program runs', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['the end of its input', 0],
  ] as const)('by %s leaves nothing behind, with status %i', async (end, status) => {
    await using directory = await ProgramDirectory.with({ 'started.mjs': STARTED });
    const started = await startEndless(directory);
    const children = descendantsOf(started.child.pid ?? 0);
    expect(children.length).toBeGreaterThan(0);
    if (end === 'the end of its input') started.child.stdin.end();
    else started.child.kill(end);
    const finished = await started.finished();
    expect(finished.status).toBe(status);
    expect(children.filter(({ id }) => isAlive(id))).toEqual([]);
    const lines = finished.stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { jsonrpc: string }).jsonrpc)).not.toContain(
      undefined,
    );
  });
});
