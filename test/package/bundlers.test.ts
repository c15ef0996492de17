import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rollup } from 'rollup';
import { build } from 'vite';
import { expect, inject, it, onTestFinished } from 'vitest';
import webpack, { type Configuration } from 'webpack';
import { run } from './project.ts';

const consumer = inject('consumer');

const APP = `
import { SandboxExecutor } from 'sandboxed-ptc';
import { embeddedProvider } from 'sandboxed-ptc/embedded';

const executor = new SandboxExecutor({ provider: embeddedProvider(), languages: ['javascript'] });
const { stdout } = await executor.execute('console.log(6 * 7)');
console.log('printed', stdout);
await executor.close();
`;

/** The expression that docs/bundlers.md gives for a bundler. */
async function documentedPattern(bundler: string): Promise<RegExp> {
  const page = await readFile(resolve('docs/bundlers.md'), 'utf8');
  const row = page.split('\n').find((line) => line.startsWith('|') && line.includes(bundler));
  const [, source = ''] = /externals?: \[\/(.+?)\/\]/.exec(row ?? '') ?? [];
  // A table has to escape its own separator.
  return new RegExp(source.replaceAll('\\|', '|'));
}

/** Each makes a module of the program `input` in `directory`. */
const bundlers: [string, (input: string, directory: string) => Promise<unknown>][] = [
  [
    'Rollup',
    async (input, dir) => {
      const bundle = await rollup({ input, external: [await documentedPattern('Rollup')] });
      await bundle.write({ dir, format: 'es', entryFileNames: 'bundle.mjs' });
      await bundle.close();
    },
  ],
  [
    'Vite',
    async (entry, outDir) =>
      build({
        configFile: false,
        logLevel: 'error',
        root: outDir,
        build: {
          outDir,
          emptyOutDir: false,
          target: 'node20',
          lib: { entry, formats: ['es'], fileName: () => 'bundle.mjs' },
          rollupOptions: { external: [await documentedPattern('Vite')] },
        },
      }),
  ],
  [
    'webpack',
    async (entry, path) =>
      compile({
        entry,
        mode: 'development',
        devtool: false,
        target: 'node',
        externals: [await documentedPattern('webpack')],
        experiments: { outputModule: true },
        output: { path, filename: 'bundle.mjs', module: true },
      }),
  ],
];

async function compile(configuration: Configuration): Promise<void> {
  const stats = await new Promise<webpack.Stats | undefined>((resolveStats, reject) => {
    webpack(configuration, (error, found) => (error ? reject(error) : resolveStats(found)));
  });
  if (stats?.hasErrors() === true) throw new Error(stats.toString('errors-only'));
}

it.each(bundlers)('a bundle that %s made as documented runs code', async (_name, bundle) => {
  const directory = await mkdtemp(join(consumer, 'bundled-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const input = join(directory, 'app.mjs');
  await writeFile(input, APP);
  await bundle(input, directory);
  const file = join(directory, 'bundle.mjs');
  // What is not in the bundle is imported by it.
  expect(await readFile(file, 'utf8')).toMatch(/["']sandboxed-ptc\/embedded["']/);
  expect(await run(process.execPath, [file], directory)).toContain('printed 42');
});
