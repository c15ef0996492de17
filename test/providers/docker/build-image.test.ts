import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { buildImage } from '../../../src/providers/docker/image/build-image.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { runCli } from '../../support/built-package.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { makeWheel, type WheelContent } from '../../support/make-wheel.ts';
import { buildBase } from './build-base.ts';
import { runId } from './support.ts';

// Small, and nothing else has it.
const apt = ['python3-toml'];

const WHEELS: readonly WheelContent[] = [
  {
    name: 'greeting',
    version: '1.0.0',
    needs: ['words'],
    files: { 'greeting.py': 'import words' },
  },
  { name: 'greeting', version: '2.0.0', files: { 'greeting.py': '' } },
  { name: 'words', version: '3.1', files: { 'words/__init__.py': "HELLO = 'hello'" } },
];

describeWithEngine('an image with further packages', (docker) => {
  test('is built once for the same packages, by the provider, the function and the command', async () => {
    const messages: string[] = [];
    const onProgress = (message: string): unknown => messages.push(message);
    const provider = dockerProvider({ packages: { apt }, onProgress });
    const executor = new SandboxExecutor({ provider });
    onTestFinished(async () => {
      await executor.close();
      await provider.close();
    });
    const tag = `sandboxed-ptc-test:packages-${runId}`;
    await executor.warmUp();
    const { value, error } = await executor.execute(
      'import toml, os\n[toml.loads("a = 1"), os.getuid()]',
    );
    expect(error).toBeUndefined();
    expect(value).toEqual([{ a: 1 }, expect.any(Number)]);
    expect((value as number[])[1]).toBeGreaterThanOrEqual(20_000);
    expect(executor.software?.python?.libraries).toEqual([
      { name: 'toml', version: expect.stringMatching(/^0\./) },
    ]);

    messages.length = 0;
    const reference = await buildImage({ apt, onProgress });
    onTestFinished(async () => {
      await executor.close();
      await docker.getImage(reference).remove({ force: true });
    });
    expect(messages).toEqual([]);
    const named = await runCli(['image', 'build', '--apt', ...apt, '--tag', tag]);
    onTestFinished(async () => docker.getImage(tag).remove());
    expect(named).toMatchObject({ status: 0, stdout: `${tag}\n`, stderr: '' });
    const [one, other] = await Promise.all(
      [reference, tag].map(async (name) => docker.getImage(name).inspect()),
    );
    expect(other?.Id).toBe(one?.Id);
  });

  /** Makes a base image whose pip asks an index in the image, as it would ask one on a network. */
  async function makeBase(): Promise<string> {
    const context = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-index-'));
    onTestFinished(async () => rm(context, { recursive: true }));
    for (const wheel of WHEELS) {
      const page = join(context, 'index', wheel.name);
      await mkdir(page, { recursive: true });
      const name = basename(await makeWheel(page, wheel));
      await writeFile(join(page, 'index.html'), `<a href="${name}">${name}</a>`, { flag: 'a' });
    }
    await writeFile(join(context, 'pip.conf'), '[global]\nindex-url = file:///index\n');
    return buildBase(docker, context, ['COPY index /index', 'COPY pip.conf /etc/pip.conf']);
  }

  test('has libraries from the index of its base image, with what they need', async () => {
    const from = await makeBase();
    const args = ['--from', from, '--pip', 'greeting<2'];
    const { status, stdout } = await runCli(['image', 'build', ...args]);
    expect(status).toBe(0);
    const image = stdout.trim();
    onTestFinished(async () => docker.getImage(image).remove({ force: true }));
    const provider = dockerProvider({ image });
    const executor = new SandboxExecutor({ provider });
    onTestFinished(async () => {
      await executor.close();
      await provider.close();
    });
    await executor.warmUp();
    expect(executor.software?.python?.libraries).toEqual(
      expect.arrayContaining([
        { name: 'greeting', version: '1.0.0' },
        { name: 'words', version: '3.1' },
      ]),
    );
    const { value, error } = await executor.execute(`import greeting, os
[greeting.words.HELLO, os.access(greeting.__file__, os.W_OK)]`);
    expect(error).toBeUndefined();
    expect(value).toEqual(['hello', false]);
  });

  test('that cannot be built says why', async () => {
    await expect(buildImage({ apt: ['no-such-package-anywhere'] })).rejects.toMatchObject({
      code: 'IMAGE_UNAVAILABLE',
      message: expect.stringMatching(/Unable to locate package no-such-package-anywhere/),
    });
    const hostile = await runCli(['image', 'build', '--pip', 'a;b']);
    expect(hostile).toMatchObject({ status: 2, stdout: '' });
    expect(hostile.stderr).toContain('packages.pip must be names of packages');
  });
});
