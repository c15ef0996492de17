import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { JAVASCRIPT_SANDBOX, ProgramDirectory } from '../../cli/support.ts';
import { CLI, requireBuild, startNode, StartedProcess } from '../../support/built-package.ts';
import { skippedFor } from '../../support/skipped.ts';
import { FILESYSTEM_SERVER, INSPECTOR } from './install.mjs';

const EVERYTHING = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';
const { path: newerNode = '', missing } = inject('newerNode');
const NO_NODE = missing && 'the MCP Inspector needs Node 22, and npm has none for this machine';

let directory: ProgramDirectory;
const pathOf = (name: string): string => join(directory.path, name);

/** A server that is started by this Node, as a file of servers has it. */
const startedWith = (...args: readonly string[]): object => ({ command: process.execPath, args });

beforeAll(async () => {
  requireBuild();
  directory = await ProgramDirectory.with({ 'report.txt': 'forty-two' });
  const mcpServers = {
    files: startedWith(FILESYSTEM_SERVER, directory.path),
    everything: startedWith(resolve(EVERYTHING), 'stdio'),
    table: startedWith(resolve('examples/mcp-servers/table-server.mjs')),
  };
  await writeFile(pathOf('servers.json'), JSON.stringify({ mcpServers }));
});

afterAll(async () => directory[Symbol.asyncDispose]());

/** Our server, before the three others. */
const ptc = (): readonly string[] => [
  CLI,
  ...['mcp', ...JAVASCRIPT_SANDBOX, '--mcp', pathOf('servers.json')],
];

/** Has the MCP Inspector make one request to a server. @returns what it prints. */
async function inspect(server: object, args: readonly string[]): Promise<unknown> {
  await writeFile(pathOf('config.json'), JSON.stringify({ mcpServers: { ptc: server } }));
  // Our server starts three others, which takes long on a busy machine.
  const patient = ['--connect-timeout', '0'];
  const which = ['--cli', '--config', pathOf('config.json'), '--server', 'ptc', ...patient];
  const started = new StartedProcess(newerNode, [INSPECTOR, ...which, ...args], {
    env: { MCP_INSPECTOR_SECRET_STORE: 'memory' },
  });
  started.child.stdin.end();
  const { status, stdout, stderr } = await started.finished();
  expect({ status, stdout, stderr }).toMatchObject({ status: 0 });
  return JSON.parse(stdout);
}

const PROGRAM = (path: string): string =>
  `const { content } = await files.read_text_file({ path: ${JSON.stringify(path)} });
console.log(content, await everything.get_sum({ a: 2, b: 3 }), await table.look_up({ name: 'tea' }));`;

describe('the MCP Inspector', skippedFor(NO_NODE), () => {
  it('finds nothing in the tools of our server that other clients do not understand', async () => {
    const listed = await inspect(startedWith(...ptc()), ['--method', 'tools/list', '--strict']);
    expect(listed).toMatchObject({ tools: [{ name: 'execute_code' }] });
    expect(JSON.stringify(listed)).toContain('read_text_file');
  });

  it('runs a program that calls three servers behind ours, over standard input and output', async () => {
    const call = ['--method', 'tools/call', '--tool-name', 'execute_code', '--tool-arg'];
    const args = [...call, `code=${PROGRAM(pathOf('report.txt'))}`];
    expect(await inspect(startedWith(...ptc()), args)).toMatchObject({
      structuredContent: {
        status: 'ok',
        output: expect.stringMatching(/^forty-two The sum of 2 and 3 is 5\. \S/),
        toolCalls: 3,
      },
      isError: false,
    });
  });

  it('runs a program by HTTP, with a token', async () => {
    const token = 'the-token-of-this-test';
    const serving = startNode([...ptc(), '--http', '0', '--token-env', 'TOKEN'], {
      env: { TOKEN: token },
    });
    await expect.poll(() => serving.stderr).toMatch(/Listening at \S+/);
    const url = /Listening at (\S+)/.exec(serving.stderr)?.[1] ?? '';
    const server = { type: 'streamable-http', url, headers: { Authorization: `Bearer ${token}` } };
    const call = ['--method', 'tools/call', '--tool-name', 'execute_code', '--tool-arg'];
    const result = await inspect(server, [
      ...call,
      "code=console.log(await table.look_up({ name: 'tea' }))",
    ]);
    expect(result).toMatchObject({ structuredContent: { status: 'ok', toolCalls: 1 } });
    serving.child.kill('SIGINT');
    expect((await serving.finished()).status).toBe(130);
  });
});
