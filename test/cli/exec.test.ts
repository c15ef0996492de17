import { describe, expect, it } from 'vitest';
import type { ExecutionResult } from '../../src/execution/execution.ts';
import { runCli } from '../support/built-package.ts';
import { ProgramDirectory } from './support.ts';

const FILES = {
  'latin.py': Buffer.from('print("caf\u00e9")', 'latin1'),
  'first.py': 'import sys\nx = 41\nprint("out")\nprint("err", file=sys.stderr)',
  'second.py': 'print(x + 1)',
  'broken.py': 'print("before")\nraise KeyError("k")',
  'hands-back.py': 'submit({"rows": [1, "é"]})',
  'ends.py': 'import os\nprint("last", flush=True)\nos._exit(3)',
  'stops.py': 'import time\nwhile True: time.sleep(0.01)',
  'tools.mjs': `
    export default [{
      name: 'double',
      description: 'Doubles a number.',
      inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      run: ({ n }) => 2 * n,
    }];
    setInterval(() => {}, 1000);`,
  'no-array.mjs': 'export default { name: "double" };',
  'bad-tool.mjs': 'export default [{ name: "nameless" }];',
  'throws.mjs': 'throw new Error("no database");',
  'calls.py': 'print(await double(n=21))',
  'calls.ts': 'const answer: number = await double({ n: 21 });\nconsole.log({ answer });',
  'also.mjs': 'console.log(answer + 1);\nconsole.error("err");',
  'broken.ts': 'type A = 1;\nthrow new RangeError("far");',
  'typed.txt': 'let x: number = 3; x',
};

/** A program that is as long as one can be. */
const LARGEST = 'print(1)\n'.padEnd(4 * 2 ** 20, '#');

async function inDirectory(args: readonly string[], input = ''): ReturnType<typeof runCli> {
  await using directory = await ProgramDirectory.with(FILES);
  return await runCli(['exec', ...args], { cwd: directory.path, input });
}

describe('exec', () => {
  it('runs files one after another in one session, and keeps their streams apart', async () => {
    expect(await inDirectory(['first.py', 'second.py'])).toEqual({
      status: 0,
      stdout: 'out\n42\n',
      stderr: 'err\n',
    });
  });

  it('reads a program from standard input', async () => {
    const { status, stdout } = await inDirectory(['first.py', '-'], 'print("input", x)');
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'out\ninput 41\n' });
  });

  it('runs a program of the largest size', async () => {
    const { status, stdout } = await inDirectory(['-'], LARGEST);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '1\n' });
  });

  it('refuses a larger one before anything runs, from a file and from standard input', async () => {
    await using directory = await ProgramDirectory.with({ 'large.py': `${LARGEST}#` });
    const options = { cwd: directory.path, input: `${LARGEST}#` };
    for (const [file, size] of Object.entries({
      'large.py': '4194305',
      '-': 'more than 4194304',
    })) {
      const { status, stdout, stderr } = await runCli(['exec', file], options);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toContain(`error: ${file} has ${size} bytes, and a program can have 4 MiB.`);
    }
  });

  it('prints the traceback of a program that fails, goes on, and exits with 1', async () => {
    const { status, stdout, stderr } = await inDirectory(['first.py', 'broken.py', 'second.py']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: 'out\nbefore\n42\n' });
    expect(stderr).toContain('line 2, in <module>\n    raise KeyError("k")\nKeyError: \'k\'\n');
    expect(stderr).toContain('broken.py failed\n');
  });

  it('says which programs did not run because the session ended before them', async () => {
    const { status, stdout, stderr } = await inDirectory(['ends.py', 'first.py', 'second.py']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: 'last\n' });
    expect(stderr).toContain('The session ended with ends.py; not run: first.py, second.py\n');
  });

  it('stops a program at its time limit and says where it was', async () => {
    const { status, stderr } = await inDirectory(['--timeout', '500', 'stops.py']);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^Timeout: the program ran longer than its limit of 500 ms \(at line 2\)$/m,
    );
  });

  it('prints one result a line with --json, and nothing else', async () => {
    const { status, stdout, stderr } = await inDirectory(['--json', 'first.py', 'broken.py']);
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    const results = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ExecutionResult);
    expect(results).toMatchObject([
      { status: 'ok', success: true, stdout: 'out\n', stderr: 'err\n', sessionOpen: true },
      { status: 'error', success: false, stdout: 'before\n', error: { type: 'KeyError', line: 2 } },
    ]);
    expect(results[1]?.sessionId).toBe(results[0]?.sessionId);
  });

  it('prints with --json what a program hands back', async () => {
    const { stdout } = await inDirectory(['--json', 'hands-back.py']);
    expect(JSON.parse(stdout)).toMatchObject({ value: { rows: [1, 'é'] }, stdout: '' });
  });

  it('gives programs the tools of a module, which may keep its timers', async () => {
    expect(await inDirectory(['--tools', 'tools.mjs', 'calls.py'])).toEqual({
      status: 0,
      stdout: '42\n',
      stderr: '',
    });
  });

  it('takes the language from the file extension, and keeps each language’s state', async () => {
    const files = ['calls.ts', 'calls.py', 'also.mjs'];
    expect(await inDirectory(['--tools', 'tools.mjs', ...files])).toEqual({
      status: 0,
      stdout: '{ answer: 42 }\n42\n43\n',
      stderr: 'err\n',
    });
  });

  it('takes every program for what --language says', async () => {
    const { status, stdout } = await inDirectory(['--language', 'typescript', 'typed.txt']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '3\n' });
  });

  it('prints an error of TypeScript as its engine does, in the program’s own lines', async () => {
    const { status, stderr } = await inDirectory(['broken.ts']);
    expect(status).toBe(1);
    expect(stderr).toBe(
      '<run 1>:2\nthrow new RangeError("far");\n      ^\nRangeError: far\n    at <run 1>:2:7\n',
    );
  });

  it('says which provider to use for a language that a sandbox does not have', async () => {
    const args = ['--provider', 'embedded', '--language', 'bash', '-'];
    const { status, stderr } = await inDirectory(args, 'echo hi');
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^LANGUAGE_UNSUPPORTED: The provider embedded does not run bash.*docker/,
    );
  });

  it.each([
    [['nowhere.py'], 'error: nowhere.py cannot be read: there is no such file.'],
    [['first.py', '.'], 'error: . cannot be read: it is a directory.'],
    [['latin.py'], 'error: latin.py is not UTF-8 text.'],
    [['/dev/zero'], 'error: /dev/zero has more than 4194304 bytes, and a program can have 4 MiB.'],
    [['-', '-'], 'error: Standard input (-) can be read only once; name it once.'],
    [[], "error: missing required argument 'file'. See sandboxed-ptc exec --help."],
    [
      ['--timeout', 'soon', 'first.py'],
      "error: option '--timeout <ms>' argument 'soon' is invalid",
    ],
    [['--timeout', '0', 'first.py'], "error: option '--timeout <ms>' argument '0' is invalid"],
    [
      ['--provider', 'none', 'first.py'],
      "error: option '--provider <name>' argument 'none' is invalid",
    ],
    [
      ['--language', 'perl', 'first.py'],
      "error: option '--language <name>' argument 'perl' is invalid",
    ],
    [['--frobnicate', 'first.py'], "error: unknown option '--frobnicate'"],
    [['--tools', 'nowhere.mjs', 'first.py'], 'error: nowhere.mjs cannot be loaded'],
    [['--tools', 'throws.mjs', 'first.py'], 'error: throws.mjs cannot be loaded: no database'],
    [['--tools', 'no-array.mjs', 'first.py'], 'error: no-array.mjs must have an array of tools'],
    [
      ['--tools', 'bad-tool.mjs', 'first.py'],
      'error: bad-tool.mjs: Tool "nameless" needs the option run',
    ],
  ])('refuses %j in one line, before anything runs', async (args, message) => {
    const { status, stdout, stderr } = await inDirectory(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr.slice(0, message.length)).toBe(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('names a missing engine and the remedy, without a stack trace', async () => {
    await using directory = await ProgramDirectory.with(FILES);
    const missing = { DOCKER_HOST: 'unix:///nonexistent' };
    const options = { cwd: directory.path, env: missing };
    const { status, stderr } = await runCli(['exec', '--provider', 'docker', 'first.py'], options);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^SANDBOX_UNAVAILABLE: .*Start Docker or Podman/);
    expect(stderr).not.toMatch(/^\s+at /m);
    const debug = { ...options, env: { ...missing, DEBUG: 'sandboxed-ptc' } };
    const { stderr: traced } = await runCli(['exec', '--provider', 'docker', 'first.py'], debug);
    expect(traced).toMatch(/^\s+at /m);
  });
});
