import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import {
  CLI,
  requireBuild,
  runCli,
  startCliOnTerminal,
  StartedProcess,
  type Finished,
} from '../support/built-package.ts';
import { JAVASCRIPT_SANDBOX, ProgramDirectory } from './support.ts';

/** Runs the command line with a standard output that refuses what is written. */
async function runWithFullOutput(args: readonly string[], input: string): Promise<Finished> {
  requireBuild();
  const script = 'exec "$@" > /dev/full';
  const started = new StartedProcess('sh', ['-c', script, 'sh', process.execPath, CLI, ...args]);
  started.child.stdin.end(input);
  return started.finished();
}

describe('the command line', () => {
  it('shows its version and its help, on standard output', async () => {
    expect(await runCli(['--version'])).toEqual({
      status: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
    const { status, stdout, stderr } = await runCli(['--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const command of ['demo', 'chat', 'exec', 'doctor']) {
      expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    }
  });

  it('has each option of exec for mcp too, except for what is printed and saved', async () => {
    const optionsOf = async (command: string): Promise<string[]> => {
      const { stdout } = await runCli([command, '--help']);
      return [...stdout.matchAll(/^  (?:-\w, )?(--[a-z-]+)/gm)].map(([, option = '']) => option);
    };
    const options = (await optionsOf('exec')).filter(
      (option) => option !== '--json' && option !== '--output',
    );
    expect(options).toContain('--timeout');
    expect(await optionsOf('mcp')).toEqual(expect.arrayContaining(options));
  });

  it.each([
    [['frobnicate'], "error: unknown command 'frobnicate'."],
    [['dmeo'], "error: unknown command 'dmeo' (Did you mean demo?)."],
    [['demo', '--nope'], "error: unknown option '--nope'."],
    [['doctor', 'docker'], "error: too many arguments for 'doctor'."],
    [['doctor', '--json'], 'error: doctor --json needs --security. Add it'],
    [['doctor', '--provider', './a.mjs'], 'error: doctor needs --security for the provider'],
    [['doctor', '--clean', '--security'], "error: option '--clean' cannot be used with option"],
    [['doctor', '--clean', '--json'], "error: option '--clean' cannot be used with option"],
  ])('refuses %j with status 2', async (args, message) => {
    const { status, stdout, stderr } = await runCli(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr.slice(0, message.length)).toBe(message);
  });

  const exec = ['exec', ...JAVASCRIPT_SANDBOX, '-'];
  it.each([
    [['--version'], ''],
    [['audit', 'verify', '/dev/null'], ''],
    [exec, 'console.log(1)'],
    // It is stopped then.
    [exec, 'console.log(1);\nfor (;;);'],
  ])('fails and says why if its output cannot be written: %j %j', async (args, input) => {
    const { status, stderr } = await runWithFullOutput(args, input);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: Standard output cannot be written: ENOSPC: .* Redirect it/);
  });

  it('shows its help and exits with 2 without a command', async () => {
    const { status, stdout, stderr } = await runCli([]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('Usage: sandboxed-ptc');
  });

  it('uses colours on a terminal, but not where NO_COLOR is set', async () => {
    const colored = startCliOnTerminal(['exec', 'nowhere.py']);
    expect((await colored.finished()).stdout).toContain('\u001b[31merror:');
    const plain = startCliOnTerminal(['exec', 'nowhere.py'], { env: { NO_COLOR: '1' } });
    expect((await plain.finished()).stdout).toMatch(/^error: nowhere\.py/);
  });

  it('keeps what a program prints from controlling the terminal [host/escaped-characters]', async () => {
    const program = String.raw`print("\x1b]0;title\x07red\x1b[31m")`;
    await using directory = await ProgramDirectory.with({ 'title.py': program });
    const input = join(directory.path, 'title.py');
    const terminal = startCliOnTerminal(['exec', '-'], { input });
    expect((await terminal.finished()).stdout).toContain(String.raw`\x1b]0;title\x07red\x1b[31m`);
  });

  it('keeps it from that as JSON too, which stays JSON', async () => {
    const printed = '\u009b31m \u007f \u202etxt \u2028';
    const program = String.raw`print("\x9b31m \x7f \u202etxt \u2028", end="")`;
    await using directory = await ProgramDirectory.with({ 'controls.py': program });
    const input = join(directory.path, 'controls.py');
    const terminal = startCliOnTerminal(['exec', '--json', '-'], { input });
    const { stdout } = await terminal.finished();
    const line = /^\{.*\}(?=\r?$)/m.exec(stdout)?.[0] ?? '';
    expect(line).toMatch(/^[ -~]+$/);
    expect(JSON.parse(line)).toMatchObject({ stdout: printed });
  });

  it('gives a pipe just what a program prints', async () => {
    const input = String.raw`print("\x1b[31mred\r\n", end="")`;
    expect((await runCli(['exec', '-'], { input })).stdout).toBe('\u001b[31mred\r\n');
  });
});
