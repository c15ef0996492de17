import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { writeBuildContext } from '../../../src/providers/docker/image/build-context.ts';
import { buildImage } from '../../../src/providers/docker/image/build-image.ts';
import { readRunnerSource } from '../../../src/sandbox/runner-command.ts';
import { failToBuild, startFakeEngine } from '../../support/fake-engine.ts';

/** The temporary directory of a test, and of what this package writes meanwhile. */
async function ownTemporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'build-context-test-'));
  vi.stubEnv('TMPDIR', directory);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(directory, { recursive: true });
  });
  return directory;
}

function onBuild(
  act: (request: IncomingMessage, response: ServerResponse) => void,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const isBuild = request.url?.startsWith('/build') === true;
    if (isBuild) act(request, response);
    return isBuild;
  };
}

describe('the build of an image', () => {
  it('sends an archive of what build-context writes, which every user can read', async () => {
    const directory = await ownTemporaryDirectory();
    const runner = await readRunnerSource();
    let received: Promise<Buffer> | undefined;
    await using engine = await startFakeEngine({
      build: failToBuild,
      special: onBuild((request, response) => {
        received = buffer(request);
        request.once('end', () => failToBuild(response));
      }),
    });
    await expect(buildImage({ host: engine.host })).rejects.toMatchObject({
      code: 'IMAGE_UNAVAILABLE',
    });
    await writeBuildContext(join(directory, 'written'), runner);
    const run = promisify(execFile);
    const unpacking = run('sh', ['-c', 'mkdir sent; umask 0; tar -xp -C sent'], {
      cwd: directory,
    });
    unpacking.child.stdin?.end(await received);
    await unpacking;
    await run('diff', ['--recursive', 'written', 'sent'], { cwd: directory });
    const { stdout } = await run('find', ['sent', '-mindepth', '1', '-printf', '%y%m\n'], {
      cwd: directory,
    });
    expect([...new Set(stdout.trim().split('\n'))].sort()).toEqual(['d755', 'f644']);
  });

  it.each([
    [
      'an engine that refuses it at once',
      (_request: IncomingMessage, response: ServerResponse): void => {
        response.writeHead(500).end('{"message":"no space left on device"}');
      },
    ],
    [
      'an engine that cuts the connection',
      (request: IncomingMessage): void => {
        request.socket.destroy();
      },
    ],
  ])('fails with its reason and leaves no files with %s', async (_, act) => {
    const directory = await ownTemporaryDirectory();
    await using engine = await startFakeEngine({ build: failToBuild, special: onBuild(act) });
    await expect(buildImage({ host: engine.host })).rejects.toMatchObject({
      code: 'IMAGE_UNAVAILABLE',
    });
    await expect(readdir(directory)).resolves.toEqual([]);
  });

  it('ends and leaves no files if it is aborted while the engine receives it', async () => {
    const directory = await ownTemporaryDirectory();
    const controller = new AbortController();
    await using engine = await startFakeEngine({
      build: failToBuild,
      special: onBuild(() => controller.abort()),
    });
    const { signal } = controller;
    await expect(buildImage({ host: engine.host, signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    await expect(readdir(directory)).resolves.toEqual([]);
  });
});
