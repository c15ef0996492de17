import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dockerProvider } from '../../src/providers/docker/docker-provider.ts';
import { provideImage } from '../../src/providers/docker/image/image.ts';
import { readRunnerSource } from '../../src/sandbox/runner-command.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { runId } from '../providers/docker/support.ts';
import { CLI, requireBuild, runCli, StartedProcess } from '../support/built-package.ts';
import { describeWithEngine } from '../support/engine.ts';
import { ProgramDirectory } from './support.ts';

/** The commands of docs/sandboxes.md that build an image. */
async function documentedCommands(): Promise<string> {
  const page = await readFile('docs/sandboxes.md', 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  const [commands, ...others] = blocks.filter((block) => block.includes('docker build'));
  expect(others).toEqual([]);
  return commands ?? '';
}

/** The same commands with this build of the package, this tag and an engine that may have no network of its own. */
async function runnableCommands(docker: Docker, tag: string): Promise<string> {
  const networks = await docker.listNetworks();
  const hasOwn = networks.some(({ Name }) => Name === 'bridge' || Name === 'podman');
  const commands = await documentedCommands();
  return commands
    .replace('npx sandboxed-ptc ', `'${process.execPath}' '${CLI}' `)
    .replace('docker build ', hasOwn ? 'docker build ' : 'docker build --network host ')
    .replace('my-sandbox', tag);
}

describeWithEngine('the image that the documented commands build', (docker) => {
  it('has the runner and the snapshots of the one that the provider builds', async () => {
    requireBuild();
    await using directory = await ProgramDirectory.with({});
    const tag = `sandboxed-ptc-test:documented-${runId}`;
    const { ApiVersion } = await docker.version();
    // What is written with this umask, only its owner may read.
    await promisify(execFile)(
      'bash',
      ['-euc', `umask 077\n${await runnableCommands(docker, tag)}`],
      { cwd: directory.path, env: { ...process.env, DOCKER_API_VERSION: ApiVersion } },
    );
    onTestFinished(() => docker.getImage(tag).remove());

    const progress: string[] = [];
    const provider = dockerProvider({ image: tag, onProgress: (said) => progress.push(said) });
    const own = await provideImage({
      docker,
      image: undefined,
      runner: await readRunnerSource(),
      onProgress: () => undefined,
      signal: new AbortController().signal,
    });
    const labels = await Promise.all(
      [tag, own.reference].map(
        async (name) => (await docker.getImage(name).inspect()).Config.Labels,
      ),
    );
    expect(labels[0]).toEqual(labels[1]);
    expect(own.hasRunner).toBe(true);

    const languages = ['typescript', 'python'] as const;
    await using executor = new SandboxExecutor({ provider, languages });
    const started = await executor.execute('console.log(process.execArgv.slice(-2).join(" "))');
    expect(started.stdout).toBe(
      '--snapshot-blob /opt/sandboxed-ptc/javascript/node/256.snapshot\n',
    );
    const code = 'import os; print(sorted(os.listdir("/opt/sandboxed-ptc/javascript/node")))';
    const listed = await executor.execute(code, { language: 'python' });
    for (const mebibytes of [256, 512, 1024, 2048]) {
      expect(listed.stdout).toContain(`'${mebibytes}.snapshot'`);
    }
    expect(progress).toEqual([]);
    await provider.close();
  });
});

describe('build-context', () => {
  it('leaves a directory as it is that has something in it', async () => {
    await using directory = await ProgramDirectory.with({});
    const target = join(directory.path, 'used');
    await mkdir(target);
    await writeFile(join(target, 'note.txt'), 'mine');
    const { status, stderr } = await runCli(['build-context', target]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^OPTION_INVALID: The directory \S+ is not empty\. Remove it, or name/);
    await expect(readFile(join(target, 'note.txt'), 'utf8')).resolves.toBe('mine');
  });

  it('says that the file system is read-only', async () => {
    await using directory = await ProgramDirectory.with({});
    requireBuild();
    const command = [process.execPath, CLI, 'build-context', join(directory.path, 'new/context')];
    const { status, stderr } = await new StartedProcess('bwrap', [
      ...['--ro-bind', '/', '/', '--'],
      ...command,
    ]).finished();
    expect(status).toBe(1);
    expect(stderr).toBe(
      `error: EROFS: read-only file system, mkdir '${join(directory.path, 'new')}'\n`,
    );
  });
});
