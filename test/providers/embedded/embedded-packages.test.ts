import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { findEmbeddedPackages } from '../../../src/providers/embedded/embedded-packages.ts';
import { specOf } from '../docker/support.ts';

describe('an installation without the optional packages', () => {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ptc-packages-'));
  });
  afterEach(async () => rm(directory, { recursive: true, force: true }));

  const find = () => findEmbeddedPackages(join(directory, 'index.js'));

  it('is not usable, and says what is missing and how to install it', async () => {
    const provider = new EmbeddedProvider({}, find);
    const availability = await provider.probe();
    expect(availability).toMatchObject({
      usable: false,
      reason: expect.stringMatching(/not installed: deno, pyodide/),
      remedy: expect.stringContaining('npm install deno pyodide'),
    });
    const aborted = provider.probe({ signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(provider.create(specOf('missing'))).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('npm install deno pyodide'),
    });
  });

  it('names only what is missing', async () => {
    const pyodide = join(directory, 'node_modules/pyodide');
    await mkdir(pyodide, { recursive: true });
    await writeFile(join(pyodide, 'package.json'), '{"name":"pyodide","version":"1.0.0"}');
    expect(find()).toMatchObject({ reason: expect.not.stringContaining('pyodide') });
    expect(find()).toMatchObject({ reason: expect.stringContaining('deno') });
  });

  it('is not usable if the binary for this platform is missing', async () => {
    for (const name of ['pyodide', 'deno']) {
      const folder = join(directory, 'node_modules', name);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'package.json'), `{"name":"${name}","version":"1.0.0"}`);
    }
    expect(find()).toMatchObject({ reason: expect.stringMatching(/not installed: @deno\//) });
  });
});

describe('this installation', () => {
  it('has both, and a binary that needed no install script', async () => {
    const packages = findEmbeddedPackages();
    expect(packages).toMatchObject({
      denoPath: expect.stringMatching(/@deno[/\\].*deno(\.exe)?$/),
      denoVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
      pyodideVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    const availability = await new EmbeddedProvider({}, findEmbeddedPackages).probe();
    expect(availability).toEqual({
      usable: true,
      description: expect.stringMatching(/^Deno \d+\.\d+\.\d+ with Pyodide \d+\.\d+\.\d+$/),
    });
  });

  it('is not checked to the end if the signal of the check fires', async () => {
    const provider = new EmbeddedProvider({}, findEmbeddedPackages);
    const caller = new AbortController();
    const checked = provider.probe({ signal: caller.signal });
    caller.abort();
    await expect(checked).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('is not usable if the binary does not start', async () => {
    const broken = () => ({ ...found(), denoPath: '/nowhere/deno' });
    const provider = new EmbeddedProvider({}, broken);
    expect(await provider.probe()).toMatchObject({
      usable: false,
      reason: expect.stringContaining('Deno or Pyodide cannot be used'),
    });
  });
});

function found(): Exclude<ReturnType<typeof findEmbeddedPackages>, { readonly reason: string }> {
  const packages = findEmbeddedPackages();
  if ('reason' in packages) throw new Error(packages.reason);
  return packages;
}
