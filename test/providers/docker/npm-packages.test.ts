import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { expect, onTestFinished, test } from 'vitest';
import { codeTool } from '../../../src/orchestrator/code/code-tool.ts';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { buildImage } from '../../../src/providers/docker/image/build-image.ts';
import type { ImagePackages } from '../../../src/providers/docker/image/packages.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { messageOf } from '../../../src/shared/errors.ts';
import { runCli } from '../../support/built-package.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { type NpmPackage, type NpmRegistry, startNpmRegistry } from '../../support/npm-registry.ts';
import { buildBase } from './build-base.ts';

const PACKAGES: readonly NpmPackage[] = [
  {
    manifest: {
      name: 'greeting',
      version: '1.4.0',
      type: 'module',
      exports: './greet.js',
      dependencies: { words: '^3.0.0' },
    },
    files: { 'greet.js': "import { HELLO } from 'words';\nexport const greet = () => HELLO;" },
  },
  { manifest: { name: 'greeting', version: '2.0.0' }, files: { 'index.js': '' } },
  {
    // Its module is made when it is installed.
    manifest: {
      name: 'words',
      version: '3.1.0',
      main: 'words.js',
      scripts: { postinstall: 'node make.js' },
    },
    files: { 'make.js': `require('fs').writeFileSync('words.js', "exports.HELLO = 'hello'")` },
  },
  {
    manifest: { name: '@test/shout', version: '0.2.0' },
    files: { 'index.js': 'module.exports = (text) => text.toUpperCase();' },
  },
];

describeWithEngine('an image with packages of npm', (docker) => {
  async function startRegistry(): Promise<NpmRegistry> {
    const registry = await startNpmRegistry(PACKAGES, await addressForBuilds(docker));
    onTestFinished(async () => registry[Symbol.asyncDispose]());
    return registry;
  }

  /** Makes a base image whose npm asks this registry. */
  async function makeBase({ url }: NpmRegistry): Promise<string> {
    const context = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-npm-'));
    onTestFinished(async () => rm(context, { recursive: true }));
    await writeFile(join(context, 'npmrc'), `registry=${url}\n`);
    return buildBase(docker, context, ['COPY npmrc /root/.npmrc', ...(await addNpm(context))]);
  }

  function removeAfterTest(image: string): void {
    onTestFinished(async () => docker.getImage(image).remove({ force: true }));
  }

  async function build(packages: ImagePackages): Promise<string> {
    const image = await buildImage(packages);
    removeAfterTest(image);
    return image;
  }

  async function open(options: Parameters<typeof dockerProvider>[0]): Promise<SandboxExecutor> {
    const provider = dockerProvider(options);
    const executor = new SandboxExecutor({ provider, languages: ['typescript', 'javascript'] });
    onTestFinished(async () => {
      await executor.close();
      await provider.close();
    });
    await executor.warmUp();
    return executor;
  }

  test('is built once, by the command, the function and the provider, and programs load them', async () => {
    const registry = await startRegistry();
    const from = await makeBase(registry);
    const npm = ['greeting@1', '@test/shout'];
    const args = ['--from', from, '--npm', ...npm];
    const { status, stdout, stderr } = await runCli(['image', 'build', ...args]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('Building') });
    const image = stdout.trim();
    removeAfterTest(image);

    const asked = registry.requests.length;
    const messages: string[] = [];
    const onProgress = (message: string): unknown => messages.push(message);
    expect(await buildImage({ from, npm, onProgress })).toBe(image);
    const executor = await open({ packages: { from, npm }, onProgress });
    expect(messages).toEqual([]);
    expect(registry.requests).toHaveLength(asked);

    const { description } = codeTool({ executor });
    expect(description).toMatch(
      /Node 20[\d.]+, with @test\/shout 0\.2\.0, greeting 1\.4\.0, words 3/,
    );
    const imported = await executor.execute(`import { greet } from 'greeting';
import shout from '@test/shout';
const text: string = greet();
shout(text)`);
    expect(imported).toMatchObject({ status: 'ok', value: 'HELLO' });
    // The settings of npm may have a token.
    const required = await executor.execute(
      `const { accessSync, readFileSync, constants } = require('fs');
const codes = [
  () => accessSync(require.resolve('words'), constants.W_OK),
  () => readFileSync('/root/.npmrc'),
].map((use) => { try { use(); return 'allowed'; } catch ({ code }) { return code; } });
[require('words').HELLO, ...codes]`,
      { language: 'javascript' },
    );
    expect(required).toMatchObject({ status: 'ok', value: ['hello', 'EACCES', 'EACCES'] });
  });

  test('keeps those of its base image, and says what npm says of one that cannot be had', async () => {
    const base = await makeBase(await startRegistry());
    const from = await build({ from: base, npm: ['greeting@1'] });
    const image = await build({ from, npm: ['@test/shout'] });
    const executor = await open({ image });
    const result = await executor.execute(
      "require('@test/shout')((await import('greeting')).greet())",
    );
    expect(result).toMatchObject({ status: 'ok', value: 'HELLO' });

    const failure: unknown = await buildImage({ from, npm: ['no-such-package'] }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'IMAGE_UNAVAILABLE' });
    const message = messageOf(failure);
    expect(message).toMatch(/E404[^]*404 Not Found - GET http:.*no-such-package/);
    expect(message).toContain('correct its name or version');
    expect(message).not.toContain('\u001b');
    const { status, stdout, stderr } = await runCli([
      'image',
      'build',
      '--from',
      from,
      '--npm',
      'greeting@7',
    ]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('No matching version found for greeting@7');
    expect(stderr).not.toContain('\\x1b');
  });
});

/**
 * Copies the npm of this machine, because Debian's has 300 packages, which take minutes on a busy machine.
 * A build installs Debian's if this machine has that one too, which does not work without its packages.
 * @returns the lines of a Dockerfile.
 */
async function addNpm(context: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('sh', ['-c', 'realpath "$(command -v npm)"']);
  const directory = dirname(dirname(stdout));
  if (!existsSync(join(directory, 'node_modules'))) return [];
  await cp(directory, join(context, 'npm'), { recursive: true });
  return ['COPY npm /opt/npm', 'USER 0:0', 'RUN ln -s /opt/npm/bin/npm-cli.js /usr/local/bin/npm'];
}

/** Builds have the network of the host, or one in which the host is the gateway. */
async function addressForBuilds(docker: Docker): Promise<string> {
  const networks = await docker.listNetworks();
  const bridge = networks.find(({ Name }) => Name === 'bridge' || Name === 'podman');
  return bridge?.IPAM?.Config?.[0]?.['Gateway'] ?? '127.0.0.1';
}
