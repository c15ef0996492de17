import { expect, it } from 'vitest';
import { RUN_CLI, runCli, startNode } from '../../support/built-package.ts';
import { JAVASCRIPT_SANDBOX, ProgramDirectory } from '../support.ts';

const FILES = {
  'waits.mjs': 'export default [];\nawait new Promise(() => {});',
  'imports.mjs': 'export { default } from "./waits.mjs";',
  'slow.mjs': `await new Promise((resolve) => { setTimeout(resolve, 1); });
export default [{ name: 'one', description: 'Gives 1.', run: () => 1 }];`,
  'never.mjs': `setInterval(() => {}, 1000);
console.log('loading');
await new Promise(() => {});`,
  'program.mjs': 'console.log(await one());',
};

it.each([
  ['waits.mjs', ['exec', '--tools', 'waits.mjs', 'program.mjs']],
  ['imports.mjs', ['exec', '--tools', 'imports.mjs', 'program.mjs']],
  ['waits.mjs', ['chat', '--tools', 'waits.mjs']],
  ['waits.mjs', ['mcp', '--tools', 'waits.mjs']],
  ['./waits.mjs', ['doctor', '--security', '--provider', './waits.mjs']],
])('says that %s waits for something that never happens: %j', async (module, args) => {
  await using directory = await ProgramDirectory.with(FILES);
  expect(await runCli(args, { cwd: directory.path })).toEqual({
    status: 2,
    stdout: '',
    stderr: `error: ${module} cannot be loaded: its top-level await waits for something that never happens. Correct the module.\n`,
  });
});

it('waits for a module as long as something runs', async () => {
  await using directory = await ProgramDirectory.with(FILES);
  const args = ['exec', ...JAVASCRIPT_SANDBOX, '--tools', 'slow.mjs', 'program.mjs'];
  expect(await runCli(args, { cwd: directory.path })).toEqual({
    status: 0,
    stdout: '1\n',
    stderr: '',
  });
});

it('ends doctor --security for Ctrl-C while a module loads', async () => {
  await using directory = await ProgramDirectory.with(FILES);
  const args = ['doctor', '--security', '--provider', './never.mjs'];
  const started = startNode([...RUN_CLI, ...args], { cwd: directory.path });
  await started.printed('loading');
  started.child.kill('SIGINT');
  expect(await started.finished()).toMatchObject({ status: 130, stderr: '' });
});
