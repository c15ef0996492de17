import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLI, startNode, type Finished } from '../support/built-package.ts';
import { blocksOf, type Block } from './snippets/blocks.ts';
import { commandsOf, packageArguments } from './snippets/shell.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-docs-'));
  await mkdir(join(directory, 'node_modules'));
  await symlink(resolve('.'), join(directory, 'node_modules/sandboxed-ptc'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Runs a command of a page in a directory that has the package installed. */
async function run(words: readonly string[], input = ''): Promise<Finished> {
  const args = packageArguments(words);
  const env = { AUDIT_KEY: 'a key of sixteen bytes' };
  const node = args === undefined ? words.slice(1) : [CLI, ...args];
  const started = startNode(node, { cwd: directory, env });
  started.child.stdin.end(input);
  return started.finished();
}

describe('docs/getting-started.md', () => {
  const blocks = blocksOf('docs/getting-started.md');
  const isOutput = (block: Block | undefined): block is Block => block?.language === 'text';
  const commands = blocks.flatMap((block, index): [string, string][] => {
    const output = blocks[index + 1];
    // The report of `doctor` is that of one machine.
    const isRun = block.language === 'sh' && isOutput(output) && !block.text.includes('doctor');
    return isRun ? [[block.text.trim(), output.text]] : [];
  });

  it('shows what its commands print', async () => {
    expect(commands.map(([command]) => command)).toEqual([
      'npx sandboxed-ptc exec --tools ./tools.mjs program.py',
      'node run.mjs',
      'node watch.mjs',
    ]);
    for (const { file, text } of blocks) {
      if (file !== undefined) await writeFile(join(directory, file), text);
    }
    for (const [command, output] of commands) {
      const [words = []] = commandsOf(command);
      expect({ command, ...(await run(words)) }).toEqual({
        command,
        status: 0,
        stdout: output,
        stderr: '',
      });
    }
  });
});

describe('the first program of', () => {
  const firstOf = (page: string): string =>
    blocksOf(page).find(({ language }) => language === 'js')?.text ?? '';

  it('docs/sessions.md prints what its comment says', async () => {
    const { status, stdout } = await run(
      ['node', '--input-type=module', '-'],
      firstOf('docs/sessions.md'),
    );
    expect({ status, printed: stdout.trim() }).toEqual({ status: 0, printed: '15' });
  });

  it('docs/audit.md writes a log that the command below it verifies', async () => {
    const page = 'docs/audit.md';
    const { status, stderr } = await run(['node', '--input-type=module', '-'], firstOf(page));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const script = blocksOf(page).find(({ language }) => language === 'sh')?.text ?? '';
    const [words = []] = commandsOf(script);
    const verified = await run(words);
    expect(verified.stdout).toMatch(/^1 file, \d+ lines: the chain is intact\.\n/);
    expect(verified.status).toBe(0);
  });
});
