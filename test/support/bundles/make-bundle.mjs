// Makes the bundle of a program: node test/support/bundles/make-bundle.mjs PROGRAM BUNDLE
// The exit status is 1 if it cannot be written, as by the process of another user.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const OWN_FILE = fileURLToPath(import.meta.url);
const require = createRequire(import.meta.url);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const [, , program, bundle] = process.argv;

/**
 * Makes one file of the modules that a program loads at once, and others of those that it loads later. Other packages stay
 * imports.
 * @returns whether it is there now.
 */
async function makeBundle() {
  const directory = dirname(bundle);
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { program },
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'es2023',
    plugins: [OWN_PACKAGE, KEEP_PLACES],
    metafile: true,
    write: false,
  });
  const inputs = await describe(Object.keys(metafile.inputs));
  const files = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  files.delete(basename(bundle));
  const text = outputFiles.find(({ path }) => path === bundle).text;
  // The last: whoever finds it finds the others.
  files.set(basename(bundle), `// ${JSON.stringify(inputs)}\n${text}`);
  try {
    await mkdir(directory, { recursive: true });
    for (const [name, content] of files) await write(join(directory, name), content);
    for (const name of await readdir(directory)) {
      if (!files.has(name) && extname(name) === '.mjs') await rm(join(directory, name));
    }
    return true;
  } catch {
    return false;
  }
}

/** By what `run.mjs` knows that files are as they were. */
async function describe(names) {
  const paths = [OWN_FILE, ...names.map((name) => resolve(ROOT, name))];
  return Promise.all(
    paths.map(async (path) => {
      const { size, mtimeMs } = await stat(path);
      return [path, size, mtimeMs];
    }),
  );
}

/** Others may read it meanwhile. */
async function write(path, text) {
  const incomplete = `${path}.${randomUUID()}`;
  await writeFile(incomplete, text);
  await rename(incomplete, path);
}

/** Examples import the package by its name. */
const OWN_PACKAGE = {
  name: 'own-package',
  setup({ onResolve }) {
    onResolve({ filter: /^sandboxed-ptc(?:\/|$)/ }, ({ path }) => ({
      path: require.resolve(path),
    }));
  },
};

/** A module looks for files beside itself, and not beside the bundle. */
const KEEP_PLACES = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.(?:js|mjs|ts)$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text
        .replace(/^#!.*/, '')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: extname(path) === '.ts' ? 'ts' : 'js' };
    });
  },
};

process.exitCode = (await makeBundle()) ? 0 : 1;
