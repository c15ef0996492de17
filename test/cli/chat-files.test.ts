import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runCli, startCliOnTerminal } from '../support/built-package.ts';
import { answer, callDelta, chunk, startOpenAIServer } from '../support/openai-server.ts';
import { ProgramDirectory } from './support.ts';

const READS = { code: 'print(open("/tmp/inputs/a b.csv").read() + open("/tmp/inputs/c").read())' };

const reading = answer(
  [callDelta(0, JSON.stringify(READS), { id: 'call_1', name: 'execute_code' })],
  'tool_calls',
);
const said = answer([{ content: 'Read.' }]);

const files = { 'a b.csv': 'region\nnorth\n', c: 'second' };

describe('chat --file', () => {
  it('gives files to programs with the first question, and again after /reset', async () => {
    await using server = await startOpenAIServer([reading, said, said, said]);
    await using directory = await ProgramDirectory.with(files);
    const given = ['--file', join(directory.path, 'a b.csv'), '--file', 'c'];
    const chat = await runCli(['chat', '--session', '--model', 'openai:test', ...given], {
      cwd: directory.path,
      env: { OPENAI_BASE_URL: server.baseUrl },
      input: 'Which region?\nAnd now?\n/reset\nAgain?\n',
    });
    expect(chat).toMatchObject({ status: 0, stderr: '' });
    expect(chat.stdout).toContain('north');
    expect(chat.stdout).toContain('second');
    const named = server.requests.map(
      ({ body }) => JSON.stringify(body).split('/tmp/inputs/a b.csv').length - 1,
    );
    // The first two requests are of one question; the program names the file too.
    expect(named).toEqual([1, 2, 2, 1]);
  });

  it('keeps the files beside the file of --resume, for the next process', async () => {
    await using server = await startOpenAIServer([said, reading, said]);
    await using directory = await ProgramDirectory.with(files);
    const args = ['chat', '--resume', 'kept.jsonl', '--model', 'openai:test'];
    const options = { cwd: directory.path, env: { OPENAI_BASE_URL: server.baseUrl } };
    const given = ['--file', 'a b.csv', '--file', 'c'];
    await runCli([...args, ...given], { ...options, input: 'Keep these.\n' });
    expect(await readdir(join(directory.path, 'kept.jsonl.files'))).toHaveLength(2);
    const chat = await runCli(args, { ...options, input: 'Read.\n' });
    expect(chat).toMatchObject({ status: 0, stderr: '' });
    expect(chat.stdout).toContain('north');
    expect(chat.stdout).toContain('kept.jsonl, 1 question so far\nAsked:   Keep these.\n');
  });

  it('gives them once if the first question is stopped, and again if the model refuses it', async () => {
    const begun = { chunks: [chunk({ content: 'I look.' })], ending: 'hang' } as const;
    const refused = answer([], 'content_filter');
    await using server = await startOpenAIServer([refused, begun, said]);
    await using directory = await ProgramDirectory.with(files);
    const given = ['--file', join(directory.path, 'c')];
    const chat = startCliOnTerminal(['chat', '--session', '--model', 'openai:test', ...given], {
      env: { OPENAI_BASE_URL: server.baseUrl },
    });
    await chat.printed(/\/help lists the commands[^]*> /);
    chat.child.stdin.write('Which?\r');
    await vi.waitUntil(() => chat.stdout.includes('MODEL_REFUSED'), { timeout: 60_000 });
    chat.child.stdin.write('And now?\r');
    await chat.printed('I look.');
    chat.child.stdin.write('\u0003');
    await chat.printed('Stopped.');
    chat.child.stdin.write('Again?\r');
    await chat.printed('Read.');
    chat.child.stdin.write('/exit\r');
    expect((await chat.finished()).status).toBe(0);
    const named = server.requests.map(
      ({ body }) => JSON.stringify(body).split('/tmp/inputs/c').length - 1,
    );
    expect(named).toEqual([1, 1, 1]);
  });

  it.each([
    [['--file', 'c'], /--file c needs a real model/],
    [['--file', 'nowhere'], /--file nowhere cannot be read: ENOENT/],
    [['--file', 'sub'], /--file sub cannot be read: it is a directory or a device, not a file\./],
    [['--file', 'c', '--file', 'sub/c'], /--file c and --file sub\/c are both named c, /],
    [['--file'], /argument missing/],
    [['--file', 'a\tb'], /--file a\\tb has a name that programs cannot use: it has a control/],
    [['--file', 'c', '--file', 'large'], /--file large is too large\. .* 8,388,608 together/],
  ])('is refused as %j', async (args, why) => {
    await using directory = await ProgramDirectory.with(files);
    await mkdir(join(directory.path, 'sub'));
    await writeFile(join(directory.path, 'sub/c'), 'third');
    await writeFile(join(directory.path, 'a\tb'), 'fourth');
    await writeFile(join(directory.path, 'large'), Buffer.alloc(8 * 1024 * 1024));
    const chat = await runCli(['chat', ...args], { cwd: directory.path, input: '' });
    expect(chat.status).toBe(2);
    expect(chat.stderr).toMatch(why);
  });

  it('is refused for more files than a conversation can have', async () => {
    await using directory = await ProgramDirectory.with(files);
    const args = Array.from({ length: 101 }, () => ['--file', 'c']).flat();
    const chat = await runCli(['chat', ...args], { cwd: directory.path });
    expect(chat.status).toBe(2);
    expect(chat.stderr).toMatch(/101 times, but .* 100 files/);
  });
});
