import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  RUN_CLI,
  runCli,
  startNode,
  type Finished,
  type StartedProcess,
} from '../support/built-package.ts';
import { answer, callDelta, startOpenAIServer } from '../support/openai-server.ts';
import { serverWith } from './mcp-support.ts';
import { JAVASCRIPT_SANDBOX, ProgramDirectory } from './support.ts';

/** A server that never answers, and has to be killed. */
function stubborn(marker: string): object {
  const script = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6)';
  return { command: process.execPath, args: ['-e', script, marker] };
}

/** The processes with a text in their command line. */
function processesWith(marker: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(marker);
    } catch {
      // It has ended.
      return false;
    }
  });
}

const fileOf = (servers: Readonly<Record<string, object>>): string =>
  JSON.stringify({ mcpServers: servers });

const TOOLS = `export default [{ name: 'own', description: 'Is own.', run: () => 'own!' }];`;

async function execIn(
  files: Readonly<Record<string, string>>,
  args: readonly string[],
  input = '',
): Promise<Finished> {
  await using directory = await ProgramDirectory.with(files);
  return await runCli(['exec', ...JAVASCRIPT_SANDBOX, ...args, '-'], {
    cwd: directory.path,
    input,
  });
}

describe('--mcp', () => {
  it('gives programs the tools of all servers of a file, and those of a module', async () => {
    const file = fileOf({
      first: serverWith('one', '1!'),
      'second-server': { ...serverWith('two', '2!'), autoApprove: [] },
      third: { command: 'no-such-command', disabled: true },
    });
    const program = 'console.log(await first.one(), await second_server.two(), await own())';
    const args = ['--mcp', 'mcp.json', '--tools', 'tools.mjs'];
    expect(await execIn({ 'mcp.json': file, 'tools.mjs': TOOLS }, args, program)).toEqual({
      status: 0,
      stdout: '1! 2! own!\n',
      stderr: 'mcp.json: The server "second-server": autoApprove has no effect here.\n',
    });
  });

  it('gives a chat the tools, which needs a real model', async () => {
    const program = JSON.stringify({ code: 'print(await first.one())' });
    await using server = await startOpenAIServer([
      answer([callDelta(0, program, { id: 'call_1', name: 'execute_code' })], 'tool_calls'),
      answer([{ content: 'That is all.' }]),
    ]);
    const files = { 'mcp.json': fileOf({ first: serverWith('one', '1!') }) };
    await using directory = await ProgramDirectory.with(files);
    const args = ['chat', '--provider', 'embedded', '--mcp', 'mcp.json'];
    const { status, stdout, stderr } = await runCli([...args, '--model', 'openai:test'], {
      cwd: directory.path,
      env: { OPENAI_BASE_URL: server.baseUrl },
      input: 'What is one?\n',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Tools: {3}first:one \(mcp\.json\)$/m);
    expect(stdout).toContain('  │ 1!\n');
    const offline = await runCli(args, { cwd: directory.path });
    expect(offline.status).toBe(2);
    expect(offline.stderr).toMatch(/^error: --mcp mcp\.json needs a real model/);
  });

  it('names the server that fails, and ends the others', async () => {
    const marker = randomUUID();
    const file = fileOf({
      good: serverWith('one', marker),
      silent: stubborn(marker),
      bad: { command: 'no-such-command' },
    });
    expect(await execIn({ 'mcp.json': file }, ['--mcp', 'mcp.json'])).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'MCP_SERVER_FAILED: The MCP server bad cannot be used: the command "no-such-command" cannot be started (ENOENT). Install it, or correct command.\n',
    });
    await expect.poll(() => processesWith(marker)).toEqual([]);
  });

  it('ends the servers if the user interrupts while they are connected, or later', async () => {
    const marker = randomUUID();
    const files = {
      'silent.json': fileOf({ good: serverWith('one', marker), silent: stubborn(marker) }),
      'good.json': fileOf({ good: serverWith('one', marker) }),
    };
    await using directory = await ProgramDirectory.with(files);
    const start = (name: string): StartedProcess =>
      startNode([...RUN_CLI, 'exec', ...JAVASCRIPT_SANDBOX, '--mcp', name, '-'], {
        cwd: directory.path,
      });
    const connecting = start('silent.json');
    connecting.child.stdin.end('');
    await expect.poll(() => processesWith(marker).length).toBeGreaterThan(1);
    connecting.child.kill('SIGINT');
    expect(await connecting.finished()).toEqual({ status: 130, stdout: '', stderr: '' });
    await expect.poll(() => processesWith(marker)).toEqual([]);

    const running = start('good.json');
    running.child.stdin.end('console.log(await good.one());\nfor (;;);');
    await running.printed(marker);
    expect(processesWith(marker)).toHaveLength(1);
    running.child.kill('SIGINT');
    expect((await running.finished()).status).toBe(130);
    await expect.poll(() => processesWith(marker)).toEqual([]);
  });

  it('is refused with a server whose name a tool has', async () => {
    const file = fileOf({ own: serverWith('one', '1!') });
    const args = ['--mcp', 'mcp.json', '--tools', 'tools.mjs'];
    const { status, stderr } = await execIn({ 'mcp.json': file, 'tools.mjs': TOOLS }, args);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^TOOL_NAME_CLASH: .*own/);
  });

  it.each([
    ['nowhere.json', '', '--mcp nowhere.json cannot be read: ENOENT'],
    ['.', '', '--mcp . cannot be read: EISDIR'],
    ['/dev/zero', '', '--mcp /dev/zero has more than 1048576 bytes'],
    ['mcp.json', '{', '--mcp mcp.json: The file of servers is not valid JSON'],
    ['mcp.json', fileOf({}), '--mcp mcp.json has no server'],
    [
      'mcp.json',
      fileOf({ a: { disabled: true } }),
      '--mcp mcp.json has no server, or only disabled',
    ],
    [
      'mcp.json',
      fileOf({ github: { command: 'x', env: { KEY: '${NO_SUCH_VARIABLE}' } } }),
      '--mcp mcp.json: The server "github" needs the environment variable NO_SUCH_VARIABLE, which is not set.',
    ],
    [
      'mcp.json',
      fileOf({ 'a\u001b[2J': { command: 7 } }),
      '--mcp mcp.json: The server "a\\u001b[2J"',
    ],
  ])(
    'refuses the file %s with %j in one line, before anything runs',
    async (name, content, message) => {
      const { status, stdout, stderr } = await execIn({ 'mcp.json': content }, ['--mcp', name]);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toContain(`error: ${message}`);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    },
  );
});
