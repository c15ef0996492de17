import { execFile, spawn } from 'node:child_process';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  compileCommand,
  type CompiledRunner,
  readCompiled,
} from '../../../src/providers/bubblewrap/start/compiled-runner.ts';
import {
  readRunnerSource,
  runnerCommandOf,
  type RunnerSource,
} from '../../../src/sandbox/runner-command.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/sandbox.ts';

const SPEC = { languages: ['python'], limits: DEFAULT_LIMITS } as const;

/** The runner, compiled by the Python of this machine. */
async function compile(): Promise<CompiledRunner> {
  const source = await readRunnerSource();
  const [file = '', ...args] = await compileCommand(source);
  const { stdout } = await promisify(execFile)(file, args, { maxBuffer: 2 ** 24 });
  return readCompiled(source, stdout);
}

/** What a runner prints when its input ends at once. */
async function printedBy(source: RunnerSource, codes: Buffer): Promise<string> {
  const [file = '', ...args] = runnerCommandOf(source, SPEC);
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'pipe'] });
  const codesInput = child.stdio[4];
  if (codesInput instanceof Writable) codesInput.end(codes);
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return printed;
}

describe('a runner that is compiled', () => {
  test('starts as one that is not', async () => {
    const ready = /^__PTC_READY__\{.*"language": ?"python".*\}__PTC_END_READY__$/m;
    expect(await printedBy(await readRunnerSource(), Buffer.alloc(0))).toMatch(ready);
    const { source, codes } = await compile();
    expect(await printedBy(source, codes)).toMatch(ready);
  });

  test('is not run by another version of Python, which reports an error', async () => {
    const { source, codes } = await compile();
    // As `marshal` writes it: the marks of a pair and of a whole number, then that, which is the version.
    const { stdout } = await promisify(execFile)('python3', [
      '-c',
      'import sys; print(sys.hexversion)',
    ]);
    expect(codes.readInt32LE(3)).toBe(Number(stdout));
    codes.writeInt32LE(0x03_02_00_f0, 3);
    expect(await printedBy(source, codes)).toMatch(/Python was updated/);
  });

  test('is what Python printed, or there is an error', async () => {
    const source = await readRunnerSource();
    await expect(readCompiled(source, 'no module named marshal\n')).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringContaining(
        'printed "no module named marshal" instead of the compiled runner',
      ),
    });
  });
});
