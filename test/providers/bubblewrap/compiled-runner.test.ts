import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { compileCommand, readCompiled } from '../../../src/providers/bubblewrap/compiled-runner.ts';
import {
  readRunnerSource,
  runnerCommand,
  type RunnerSource,
} from '../../../src/sandbox/runner-command.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';

const SPEC = { languages: ['python'], limits: DEFAULT_LIMITS } as const;

/** The runner, compiled by the Python of this machine. */
async function compile(): Promise<RunnerSource> {
  const source = await readRunnerSource();
  const [file = '', ...args] = await compileCommand(source);
  const { stdout } = await promisify(execFile)(file, args, { maxBuffer: 2 ** 24 });
  return readCompiled(source, stdout);
}

/** What a runner prints when its input ends at once. */
async function printedBy(source: RunnerSource): Promise<string> {
  const [file = '', ...args] = runnerCommand(source, SPEC);
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return printed;
}

describe('a runner that is compiled', () => {
  test('starts as one that is not', async () => {
    const ready = /^__PTC_READY__\{.*"language": ?"python".*\}__PTC_END_READY__$/m;
    expect(await printedBy(await readRunnerSource())).toMatch(ready);
    expect(await printedBy(await compile())).toMatch(ready);
  });

  test('is not run by another Python than compiled it, which says so', async () => {
    const compiled = await compile();
    const modules = compiled.modules.map(
      ([name, code]) => [name, name === 'version' ? '50463216' : code] as const,
    );
    expect(await printedBy({ ...compiled, modules })).toMatch(/Python is another one/);
  });

  test('has all of the modules, or there is none', async () => {
    const source = await readRunnerSource();
    await expect(readCompiled(source, '51052272\nYQ==\n')).rejects.toThrow(/compiled 1 of/);
  });
});
