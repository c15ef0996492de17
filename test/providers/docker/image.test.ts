import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { followProgress } from '../../../src/providers/docker/engine/engine-progress.ts';
import { writeBuildContext } from '../../../src/providers/docker/image/build-context.ts';
import { provideImage } from '../../../src/providers/docker/image/image.ts';
import { readRunnerSource } from '../../../src/sandbox/runner-command.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { containersOf, runId, SandboxClient, specOf } from './support.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const engineScript = here('../../../scripts/test-engine.sh');
const PYTHON_3_9 = 'sandboxed-ptc-test:python3.9';

describeWithEngine('the sandbox image', (docker) => {
  beforeAll(async () => {
    await promisify(execFile)(engineScript, ['image', '3.9']);
  });

  /** Makes an image with these lines of a Dockerfile, for one test. */
  async function derive(name: string, lines: string): Promise<string> {
    const container = await docker.createContainer({ Image: PYTHON_3_9, Cmd: ['true'] });
    const version = `${name}-${runId}`;
    const tag = `sandboxed-ptc-test:${version}`;
    await container.commit({ repo: 'sandboxed-ptc-test', tag: version, changes: lines });
    await container.remove();
    onTestFinished(async () => {
      const images = await docker.listImages({ filters: { reference: [tag] } });
      await Promise.all(images.map(({ Id }) => docker.getImage(Id).remove({ force: true })));
    });
    return tag;
  }

  test('is built if it is missing, with its steps reported, and found the next time', async () => {
    const progress: string[] = [];
    const options = {
      docker,
      image: undefined,
      // A runner that no image has.
      runner: { ...(await readRunnerSource()), hash: randomUUID() },
      onProgress: (message: string): unknown => progress.push(message),
      signal: new AbortController().signal,
    };
    const built = await provideImage(options);
    onTestFinished(() => docker.getImage(built.reference).remove());
    expect(built.hasRunner).toBe(true);
    expect(progress[0]).toContain('Building the sandbox image');
    expect(progress[1]).toMatch(/^Step 1\/\d+ : ARG BASE_IMAGE=debian:trixie-slim$/);

    progress.length = 0;
    await expect(provideImage(options)).resolves.toEqual(built);
    expect(progress).toEqual([]);
  });

  test.each([
    ['keeps the Node of its base image', 'yes', false],
    ["gets Debian's Node if its base image has none", '', true],
  ])('%s', async (_, node, isInstalled) => {
    const base = `sandboxed-ptc-test:base-${node}-${runId}`;
    const image = `sandboxed-ptc-test:built-${node}-${runId}`;
    const build = async (context: string, src: string[], options: object): Promise<void> => {
      const settings = { networkmode: 'none', rm: true, forcerm: true, ...options };
      const built = await docker.buildImage({ context, src }, settings);
      await followProgress(docker, built, () => undefined);
    };
    const dockerfile = 'base.Dockerfile';
    await build(here('fixtures'), [dockerfile], { dockerfile, t: base, buildargs: { NODE: node } });
    onTestFinished(() => docker.getImage(base).remove());
    const context = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-context-'));
    onTestFinished(async () => rm(context, { recursive: true }));
    await writeBuildContext(context, await readRunnerSource());
    // Without it, no snapshots are made, which would need a real Node.
    await rm(join(context, 'runner/javascript/node/guest.cjs'));
    await build(context, ['Dockerfile', 'runner'], { t: image, buildargs: { BASE_IMAGE: base } });
    onTestFinished(() => docker.getImage(image).remove());
    const client = new SandboxClient(await dockerProvider({ image }).create(specOf('built')));
    onTestFinished(() => client.sandbox.close());
    const installed = await client.evaluate(
      'import json; print(json.dumps(open("/installed").read()))',
    );
    expect(String(installed).includes('nodejs')).toBe(isInstalled);
    expect(installed).toContain('python3');
  });

  test('that cannot be built says what the build last printed', async () => {
    const build = await docker.buildImage(
      { context: here('fixtures'), src: ['failing.Dockerfile'] },
      { dockerfile: 'failing.Dockerfile', networkmode: 'none', rm: true, forcerm: true },
    );
    const steps: string[] = [];
    const followed = followProgress(docker, build, (step) => steps.push(step));
    await expect(followed).rejects.toThrow(/the mirror is away[^]*returned a non-zero code: 100/);
    expect(steps[0]).toBe('Step 1/2 : FROM debian:trixie-slim');
  });

  test('is looked for again if it was removed after its first use [case 97]', async () => {
    const tag = await derive('vanishing', 'CMD ["true"]');
    const progress: string[] = [];
    const provider = dockerProvider({
      image: tag,
      onProgress: (message) => progress.push(message),
    });
    const sandbox = await provider.create(specOf('before'));
    await sandbox.close();
    await docker.getImage(tag).remove({ force: true });
    await expect(provider.create(specOf('after'))).rejects.toMatchObject({
      code: 'IMAGE_UNAVAILABLE',
    });
    expect(progress).toEqual([`Pulling the sandbox image ${tag}`]);
  });

  test('of another version is used, and reported as the reason for slower starts', async () => {
    const image = await derive('other-version', 'LABEL sandboxed-ptc.runner=0123456789abcdef');
    const progress: string[] = [];
    const provider = dockerProvider({ image, onProgress: (message) => progress.push(message) });
    const client = new SandboxClient(await provider.create(specOf('other-version')));
    onTestFinished(() => client.sandbox.close());
    await expect(client.next()).resolves.toMatchObject({ kind: 'ready' });
    expect(progress).toEqual([
      expect.stringMatching(
        /does not have the runner of this version .* start slower\. Build it again from/,
      ),
    ]);
  });

  test('may be any with Python 3.9, without anything of ours in it', async () => {
    const provider = dockerProvider({ image: PYTHON_3_9 });
    const client = new SandboxClient(await provider.create(specOf('python3.9')));
    onTestFinished(() => client.sandbox.close());
    await expect(client.next()).resolves.toMatchObject({
      kind: 'ready',
      version: expect.stringMatching(/^3\.9\./),
    });
    await expect(client.evaluate('print(6 * 7)')).resolves.toBe(42);
  });

  test('cannot replace the runner by an entrypoint, a user or a health check of its own [case 14]', async () => {
    const image = await derive(
      'unruly',
      'ENTRYPOINT ["false"]\nUSER root\nHEALTHCHECK CMD ["true"]\nWORKDIR /proc\nENV PYTHONSTARTUP=/x',
    );
    const client = new SandboxClient(await dockerProvider({ image }).create(specOf('unruly')));
    onTestFinished(() => client.sandbox.close());
    await expect(client.next()).resolves.toMatchObject({ kind: 'ready' });
    const user = await client.evaluate('import os; print(os.getuid())');
    expect(user).toBeGreaterThanOrEqual(20_000);
  });

  test('is refused if it would add storage without a limit [case 14, docker/read-back]', async () => {
    const image = await derive('storage', 'VOLUME /data');
    await expect(dockerProvider({ image }).create(specOf('storage'))).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringContaining('storage without a limit at /data'),
    });
    expect(await containersOf(docker, 'storage')).toEqual([]);
  });

  test('is refused with a clear message if it has no Python', async () => {
    const image = 'debian:trixie-slim';
    await expect(dockerProvider({ image }).create(specOf('no-python'))).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringContaining(`The image ${image} has no python3 in its PATH`),
    });
    expect(await containersOf(docker, 'no-python')).toEqual([]);
  });

  test('is reported as unavailable, with what was tried, if it is missing and cannot be pulled [case 97]', async () => {
    const image = 'localhost:1/sandboxed-ptc/missing:1';
    await expect(dockerProvider({ image }).create(specOf('missing'))).rejects.toMatchObject({
      code: 'IMAGE_UNAVAILABLE',
      message: expect.stringContaining(`does not have the image ${image} and could not pull it`),
    });
  });
});
