import { expect, onTestFinished, test } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { buildImage } from '../../../src/providers/docker/image/build-image.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { runCli } from '../../support/built-package.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { runId } from './support.ts';

// Small, and nothing else has it.
const apt = ['python3-toml'];

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
