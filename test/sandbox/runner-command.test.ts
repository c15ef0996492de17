import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/sandbox/sandbox.ts';
import { readRunnerSource, runnerCommandOf } from '../../src/sandbox/runner-command.ts';

const spec = { languages: ['python'], limits: DEFAULT_LIMITS } as const;

async function runnerOf(modules: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'runner-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await Promise.all(
    Object.entries(modules).map(([name, source]) => writeFile(join(directory, name), source)),
  );
  return directory;
}

test('no argument of the command is longer than Linux takes', async () => {
  const command = runnerCommandOf(await readRunnerSource(), spec);
  for (const argument of command) expect(Buffer.byteLength(argument)).toBeLessThan(131_072);
});

test('the command runs a module of several in a plain interpreter', async () => {
  const source = await readRunnerSource();
  const modules = [
    ...source.modules.filter(([name]) => name === 'ptc_runner.finder'),
    ['ptc_runner.supervisor.main', 'from ..shared.greeting import greet as main\n'],
    [
      'ptc_runner.shared.greeting',
      'def greet(arguments):\n    print("hello from", __name__, arguments)\n',
    ],
  ] as const;
  const [program = '', ...programArguments] = runnerCommandOf({ ...source, modules }, spec);
  const child = spawn(program, programArguments, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await once(child.stdout.setEncoding('utf8'), 'data');
  expect(output).toBe("hello from ptc_runner.shared.greeting ['python', '', '0']\n");
});

test('the hash tells one runner from another', async () => {
  const first = await readRunnerSource(
    await runnerOf({ 'bootstrap.py': 'a', 'supervisor.py': 'b' }),
  );
  const same = await readRunnerSource(
    await runnerOf({ 'bootstrap.py': 'a', 'supervisor.py': 'b' }),
  );
  const other = await readRunnerSource(
    await runnerOf({ 'bootstrap.py': 'a', 'supervisor.py': 'c' }),
  );
  expect(same.hash).toBe(first.hash);
  expect(other.hash).not.toBe(first.hash);
});

test('a package without the runner says that it is incomplete', async () => {
  await expect(readRunnerSource(await runnerOf({}))).rejects.toThrow('install it again');
});
