import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { scriptedModel } from '../../src/models/scripted.ts';
import { ProgrammaticToolOrchestrator } from '../../src/orchestrator/orchestrator.ts';
import { fileStore } from '../../src/orchestrator/store/file/file-store.ts';
import {
  RUN_CLI,
  runCli,
  startCliOnTerminal,
  startNode,
  type StartedProcess,
} from '../support/built-package.ts';
import { answer, callDelta, startOpenAIServer } from '../support/openai-server.ts';
import { ProgramDirectory } from './support.ts';

const ASKED = 'How often was this asked in the same session?\n';
const CTRL_C = '\u0003';

const TOOLS = `export default [{
  name: 'order',
  description: 'Orders something.',
  inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
  run: async ({ item }) => (item === 'desk' ? 'ordered' : new Promise(() => {})),
}];`;

const BUYS = { code: 'print(await order(item="desk"))\nprint(await order(item="piano"))' };

const buying = answer(
  [callDelta(0, JSON.stringify(BUYS), { id: 'call_1', name: 'execute_code' })],
  'tool_calls',
);

async function kill(chat: StartedProcess): Promise<void> {
  chat.child.kill('SIGKILL');
}

async function interrupt(chat: StartedProcess): Promise<void> {
  chat.child.stdin.write(CTRL_C);
  await chat.printed('Stopped.');
  chat.child.stdin.write('/exit\r');
}

describe('chat --resume', () => {
  it('keeps a conversation in a file and goes on with it', async () => {
    await using directory = await ProgramDirectory.with({});
    const args = ['chat', '--resume', 'kept.jsonl'];
    const first = await runCli(args, { cwd: directory.path, input: ASKED + ASKED });
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout).toContain('File:    kept.jsonl, with no question yet\n');
    // Questions share a session, as with --session.
    expect(first.stdout).toMatch(/printed\n {2}│ 1\n[^]*printed\n {2}│ 2\n/);
    const file = join(directory.path, 'kept.jsonl');
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    // Who may read it besides is for its owner to say.
    await chmod(file, 0o644);
    const second = await runCli(args, { cwd: directory.path, input: ASKED });
    expect(second).toMatchObject({ status: 0, stderr: '' });
    expect((await stat(file)).mode & 0o777).toBe(0o644);
    expect(second.stdout).toContain(`Resumed: kept.jsonl, 2 questions so far\nAsked:   ${ASKED}`);
    expect(second.stdout).toContain('Answer:  By the variable that the session keeps: 2\n');
    expect(second.stdout).not.toContain('The process ended');
    // What the model was told, which the script quotes.
    expect(second.stdout).toContain('variables of earlier programs are gone.');
  });

  it('forgets the conversation of the file at /reset', async () => {
    await using directory = await ProgramDirectory.with({});
    const args = ['chat', '--resume', 'kept.jsonl'];
    await runCli(args, { cwd: directory.path, input: `${ASKED}/reset\n` });
    const { stdout } = await runCli(args, { cwd: directory.path });
    expect(stdout).toContain('File:    kept.jsonl, with no question yet\n');
  });

  it.each([
    ['kill -9', kill, true],
    ['Ctrl-C', interrupt, false],
  ] as const)('tells the model what was done before %s', async (_how, end, wasKilled) => {
    await using server = await startOpenAIServer([buying, answer([{ content: 'A desk.' }])]);
    await using directory = await ProgramDirectory.with({ 'tools.mjs': TOOLS });
    const file = join(directory.path, 'kept.jsonl');
    const args = ['chat', '--tools', join(directory.path, 'tools.mjs'), '--resume', file];
    args.push('--model', 'openai:test');
    const env = { OPENAI_BASE_URL: server.baseUrl };
    // Killed directly: `script`, which gives a terminal, would stay between.
    const chat: StartedProcess = wasKilled
      ? startNode([...RUN_CLI, ...args], { env })
      : startCliOnTerminal(args, { env });
    chat.child.stdin.write('Buy a desk and a piano.\r\n');
    const orders = async (): Promise<boolean> =>
      /"tool-call-started"[^]*"tool-call-started"/.test(
        await readFile(file, 'utf8').catch(() => ''),
      );
    await vi.waitUntil(orders, { timeout: 100_000 });
    await end(chat);
    await chat.finished();

    const { status, stdout } = await runCli(args, { env, input: 'What did you buy?\n' });
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^Resumed: .*kept\.jsonl, 1 question so far\nAsked: {3}Buy a desk and a piano\.\nAnswer: {2}none$/m,
    );
    expect(stdout.includes('The process ended before this answer was complete.')).toBe(wasKilled);
    const told = JSON.stringify(server.requests.at(-1)?.body);
    expect(told).toMatch(/order\(.{0,9}item.{0,9}desk.{0,9}\): done, .{0,9}ordered/);
    expect(told).toMatch(/order\(.{0,9}item.{0,9}piano.{0,9}\): it is not known whether/);
    expect(stdout).toContain('A desk.');
  });

  it('waits for a chat that has the file, until Ctrl-C or that one ends', async () => {
    await using directory = await ProgramDirectory.with({});
    const file = join(directory.path, 'kept.jsonl');
    const args = [...RUN_CLI, 'chat', '--resume', file];
    const waits = `${file} is in use by another process. Waiting until it ends. Press Ctrl-C to exit.\n`;
    const holder = startNode(args);
    await holder.printed('File:');

    const leaving = startNode(args);
    await vi.waitUntil(() => leaving.stderr !== '', { timeout: 60_000 });
    leaving.child.kill('SIGINT');
    expect(await leaving.finished()).toEqual({ status: 130, stdout: '', stderr: waits });

    const staying = startNode(args);
    await vi.waitUntil(() => staying.stderr !== '', { timeout: 60_000 });
    holder.child.stdin.end(ASKED);
    expect((await holder.finished()).status).toBe(0);
    staying.child.stdin.end();
    expect(await staying.finished()).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 question so far'),
      stderr: waits,
    });
  });

  const began = (version: number): string =>
    `{"conversation":"a"}\n{"type":"run-started","version":${version},"runId":"1","occurredAtMs":1}\n`;

  it.each([
    ['notes.txt', 'notes of mine, without an end of line', 'does not begin with {"conversation":'],
    ['document.json', '{"version":1,"messages":[]}\n', 'does not begin with {"conversation":'],
    ['saved.json', '{"conversation":{"version":1}}', 'begins with {"conversation":{"version":1}}'],
    ['newer.jsonl', began(2), 'the version of its entry 0 is 2, but this package reads version 1'],
    ['torn.jsonl', `${began(1)}not JSON\n`, 'entry 1 of its file is not JSON'],
    ['other.jsonl', '{"conversation":"a"}\n{"type":"run"}\n', 'its entry 0: '],
  ])(
    'refuses %s, in which there is no conversation, and leaves it',
    async (name, text, message) => {
      await using directory = await ProgramDirectory.with({ [name]: text });
      const { status, stdout, stderr } = await runCli(['chat', '--resume', name], {
        cwd: directory.path,
      });
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/^error: --resume [^\n]*\n$/);
      expect(stderr).toContain(`error: --resume ${name}: This conversation cannot be continued: `);
      expect(stderr).toContain(message);
      expect(await readFile(join(directory.path, name), 'utf8')).toBe(text);
    },
  );

  it.each([
    ['.', 'it is a directory or a device'],
    ['/dev/null', 'it is a directory or a device'],
    ['nowhere/kept.jsonl', 'ENOENT: '],
    ['notes.txt/kept.jsonl', 'ENOTDIR: '],
  ])('refuses %s, which cannot be a file of it', async (name, message) => {
    await using directory = await ProgramDirectory.with({ 'notes.txt': '' });
    const { status, stdout, stderr } = await runCli(['chat', '--resume', name], {
      cwd: directory.path,
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(`error: --resume ${name} cannot be used: ${message}`);
    expect(stderr).toMatch(/^[^\n]*\n$/);
  });

  it('goes on with a file of fileStore', async () => {
    await using directory = await ProgramDirectory.with({});
    const model = scriptedModel([[{ type: 'text', text: 'Hello.' }]]);
    const store = fileStore({ directory: directory.path });
    await using orchestrator = new ProgrammaticToolOrchestrator({ model, store });
    await orchestrator.run('Good morning.');
    const [name = ''] = await readdir(directory.path);
    const { stdout } = await runCli(['chat', '--resume', name], {
      cwd: directory.path,
      input: ASKED,
    });
    expect(stdout).toContain('1 question so far\nAsked:   Good morning.\nAnswer:  Hello.\n');
    await orchestrator.load();
    expect(JSON.stringify(orchestrator.messages)).toContain(ASKED.trim());
  });
});
