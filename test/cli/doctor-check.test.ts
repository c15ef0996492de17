import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RUN_CLI, runCli, startNode } from '../support/built-package.ts';
import { ProgramDirectory } from './support.ts';

/** A provider of a module that tells what is done with it. */
const withProbe = (probe: string): string => `
export default {
  name: 'telling',
  languages: ['python'],
  create: async () => { throw new Error('never'); },
  probe: async () => {
    console.log('probed');
    ${probe}
  },
  close: async () => console.log('closed'),
};
`;

describe('doctor --security', () => {
  it('ends at SIGINT while the check of a provider goes on, and closes it', async () => {
    const text = withProbe('await new Promise((settle) => setTimeout(settle, 1e9));');
    await using directory = await ProgramDirectory.with({ 'provider.mjs': text });
    const module = join(directory.path, 'provider.mjs');
    const started = startNode([...RUN_CLI, 'doctor', '--security', '--provider', module]);
    onTestFinished(() => void started.child.kill('SIGKILL'));
    await started.printed('probed');
    started.child.kill('SIGINT');
    const finished = await started.finished();
    expect(finished).toEqual({ status: 130, stdout: 'probed\nclosed\n', stderr: '' });
  });

  it('closes a provider whose check fails', async () => {
    const text = withProbe("throw new Error('no answer');");
    await using directory = await ProgramDirectory.with({ 'provider.mjs': text });
    const args = ['doctor', '--security', '--provider', './provider.mjs'];
    const { status, stdout, stderr } = await runCli(args, { cwd: directory.path });
    expect({ status, stdout }).toEqual({ status: 1, stdout: 'probed\nclosed\n' });
    expect(stderr).toContain('no answer');
  });
});
