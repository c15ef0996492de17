import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { run } from './project.ts';

const consumer = inject('consumer');

const APP = `
import { defineTool, PtcError, SandboxExecutor, ToolRegistry } from 'sandboxed-ptc';
import { z } from 'zod';

const double = defineTool({
  name: 'double',
  description: 'Doubles a number.',
  inputSchema: z.object({ n: z.number() }),
  run: ({ n }) => 2 * n,
});
const executor = new SandboxExecutor({ tools: new ToolRegistry([double]) });
executor
  .execute('print(await double(n=21))')
  .then((result) => console.log('printed', result.stdout))
  .finally(() => executor.close());
`;

/** The command of docs/bundlers.md, in words. */
async function documentedCommand(): Promise<string[]> {
  const page = await readFile(resolve('docs/bundlers.md'), 'utf8');
  const [, command = ''] = /^```sh\nnpx (esbuild .*)\n```$/m.exec(page) ?? [];
  return command.split(' ');
}

/** A directory in the project that installed the package, with the program to bundle in it. */
async function appDirectory(): Promise<string> {
  const directory = await mkdtemp(join(consumer, 'bundled-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'app.mjs'), APP);
  return directory;
}

/** Bundles it as the documentation says, but for these words, and runs the bundle. */
async function runBundle(changes: Readonly<Record<string, string>>): Promise<string> {
  const directory = await appDirectory();
  const words = (await documentedCommand()).map((word) => changes[word] ?? word);
  const [esbuild = '', ...args] = words.filter((word) => word !== '');
  await run(resolve('node_modules/.bin', esbuild), args, directory);
  const bundle = args.find((word) => word.startsWith('--outfile='))?.slice('--outfile='.length);
  return run(process.execPath, [join(directory, bundle ?? '')], directory);
}

const AS_SCRIPT = {
  '--format=esm': '--format=cjs',
  '--outfile=app.bundle.mjs': '--outfile=app.bundle.cjs',
};

describe('a bundle of a program that uses the package', () => {
  it.each([
    ['a module', {}],
    ['a script', AS_SCRIPT],
    ['a module without any package', { '--external:sandboxed-ptc': '--packages=external' }],
    [
      'a script without any package',
      { ...AS_SCRIPT, '--external:sandboxed-ptc': '--packages=external' },
    ],
  ])('runs code as %s if it is made as documented', async (_kind, changes) => {
    await expect(runBundle(changes)).resolves.toContain('printed 42');
  });

  it.each([
    ['a module', {}],
    ['a script', AS_SCRIPT],
  ])(
    'says at once which setting is missing if it has the package in it, as %s',
    async (_kind, changes) => {
      const running = runBundle({ ...changes, '--external:sandboxed-ptc': '' });
      await expect(running).rejects.toThrow(
        /PtcError: sandboxed-ptc does not run from the place where it was installed.* --external:sandboxed-ptc or --packages=external for esbuild, serverExternalPackages: \['sandboxed-ptc'\] for Next\.js\.[^]*code: 'INSTALLATION_INCOMPLETE'/,
      );
    },
  );
});

/** A copy of the installed package without some of what belongs to it. @returns its command line. */
async function installWithout(missing: string): Promise<string> {
  // Not below the project, in whose directory Node would look too.
  const directory = await mkdtemp(join(dirname(consumer), 'incomplete-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const modules = join(directory, 'node_modules');
  const installed = join(consumer, 'node_modules');
  await mkdir(modules);
  for (const name of await readdir(installed)) {
    if (name !== 'sandboxed-ptc' && name !== '.bin') {
      await symlink(join(installed, name), join(modules, name));
    }
  }
  await cp(join(installed, 'sandboxed-ptc'), join(modules, 'sandboxed-ptc'), { recursive: true });
  await rm(join(modules, missing), { recursive: true });
  return join(modules, 'sandboxed-ptc/dist/cli/main.js');
}

describe('an installation that lacks', () => {
  it('the client of engines is told as such, and not as an engine that does not answer', async () => {
    const cli = await installWithout('dockerode');
    const program = join(consumer, 'program.py');
    await writeFile(program, 'print(6 * 7)');
    const running = run(process.execPath, [cli, 'exec', '--provider', 'docker', program]);
    await expect(running).rejects.toThrow(
      /SANDBOX_UNAVAILABLE: .*dockerode is not installed\. Run: npm install dockerode/,
    );
    const report = await run(process.execPath, [cli, 'doctor']).catch(String);
    expect(report).toMatch(/^docker +no +the npm package dockerode is not installed/m);
    expect(report).not.toContain('engine answers');
  });

  it('the runner is told as such, with the file that is missing', async () => {
    const cli = await installWithout('sandboxed-ptc/runner');
    const program = join(consumer, 'program.py');
    await writeFile(program, 'print(6 * 7)');
    const running = run(process.execPath, [cli, 'exec', '--provider', 'embedded', program]);
    await expect(running).rejects.toThrow(
      /INSTALLATION_INCOMPLETE: .*A file of its own cannot be read: ENOENT.*runner.*install it again/,
    );
  });

  it('what checks arguments is told as such, and not as a schema that is wrong', async () => {
    const cli = await installWithout('ajv');
    const program = join(consumer, 'tools.mjs');
    await writeFile(
      program,
      "export default [{ name: 'a', description: 'A.', inputSchema: { type: 'object' }, run: () => 1 }];",
    );
    const running = run(process.execPath, [cli, 'exec', '--tools', program, program]);
    await expect(running).rejects.toThrow(/INSTALLATION_INCOMPLETE: .*Cannot find module 'ajv/);
  });
});
