import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, inject, it, onTestFinished } from 'vitest';
import { run } from './project.ts';

const consumer = inject('consumer');

const APP = `
import { SandboxExecutor } from 'sandboxed-ptc';
import { embeddedProvider } from 'sandboxed-ptc/embedded';

const executor = new SandboxExecutor({ provider: embeddedProvider(), languages: ['javascript'] });
try {
  const { stdout } = await executor.execute('console.log(6 * 7)');
  console.log('printed', stdout);
} catch (error) {
  console.log(error.code, error.message);
}
await executor.close();
`;

/** What docs/bundlers.md tells Next.js to copy beside what it finds itself. */
async function documentedFiles(): Promise<string[]> {
  const page = await readFile(resolve('docs/bundlers.md'), 'utf8');
  const globs = [...page.matchAll(/^ +'\.\/(node_modules\/.+)',/gm)].map(([, glob = '']) => glob);
  return globs.flatMap((glob) => {
    const [, before = '', among = '', after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(glob) ?? [];
    return among.split(',').map((one) => `${before}${one}${after}`.replace(/\/\*\*\/\*$/, ''));
  });
}

/** The files that a program imports, as a tool finds them that follows imports alone. */
async function importedFiles(entry: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: consumer,
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
  });
  return Object.keys(metafile.inputs);
}

/** A project of these files alone, and of the manifests of the packages that they are of. */
async function copyOf(files: readonly string[], links: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-traced-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const manifests = files.flatMap((file) => {
    const [name] = /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
    return name === undefined ? [] : [`${name}/package.json`];
  });
  for (const file of new Set([...files, ...manifests])) {
    await mkdir(dirname(join(directory, file)), { recursive: true });
    await cp(join(consumer, file), join(directory, file));
  }
  for (const link of links) {
    await mkdir(dirname(join(directory, link)), { recursive: true });
    await symlink(join(consumer, link), join(directory, link));
  }
  return directory;
}

it('a server of traced files runs code with the files that are documented beside', async () => {
  const app = 'traced-app.mjs';
  await writeFile(join(consumer, app), APP);
  onTestFinished(() => rm(join(consumer, app)));
  const files = await importedFiles(app);
  const documented = await documentedFiles();

  const whole = await copyOf(files, documented);
  expect(await run(process.execPath, [join(whole, app)], whole)).toContain('printed 42');

  // Each of the documented packages is needed.
  for (const missing of ['/runner', '/guests', '/deno']) {
    const rest = documented.filter((name) => !name.endsWith(missing));
    expect(rest).not.toEqual(documented);
    const part = await copyOf(files, rest);
    expect(await run(process.execPath, [join(part, app)], part)).not.toContain('printed');
  }
});
