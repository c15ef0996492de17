// Makes one script of the modules of each guest, in dist/guests. Node's snapshots cannot contain modules, and a worker of
// Deno without permissions cannot load any from files. `npm run build` runs this, and vitest before its tests.
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const TARGET = join(ROOT, 'dist/guests');
const KEPT_GLOBALS = join(ROOT, 'runner/javascript/kept-globals.mjs');

/** The scripts by name. */
const GUESTS = {
  'node.cjs': {
    entryPoints: ['runner/javascript/node/start.cjs'],
    inject: [KEPT_GLOBALS],
    format: 'cjs',
  },
  'deno.mjs': {
    entryPoints: ['runner/javascript/deno/main.mjs'],
    inject: [KEPT_GLOBALS],
    format: 'esm',
  },
  'python.mjs': { entryPoints: ['runner/embedded/worker/main.mjs'], format: 'esm' },
};

const NOT_ASCII = /[^\0-\u007f]/;
/** A function of a module of Node that is looked up at each call, and that a program may have replaced. */
const LATE_LOOKUP = /\bimport_node_\w+\.(?!default\b)\w+/;
const PACKAGE = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** Builds all scripts, and collects the licenses of the packages that they contain. */
export default async function buildGuests() {
  await mkdir(TARGET, { recursive: true });
  const packages = new Set();
  for (const [name, options] of Object.entries(GUESTS)) {
    const { outputFiles, metafile } = await build({
      ...options,
      absWorkingDir: ROOT,
      bundle: true,
      platform: 'node',
      tsconfigRaw: '{}',
      target: 'node20.19',
      // V8 takes two bytes for each character of a script if one of them needs two, and so would a snapshot.
      charset: 'ascii',
      // Without comments, which may have other characters.
      minifyWhitespace: true,
      // Otherwise modules that only do something when they are loaded would be left out: package.json says that this
      // package has none.
      ignoreAnnotations: true,
      metafile: true,
      write: false,
      logLevel: 'warning',
    });
    const [{ text }] = outputFiles;
    check(name, text);
    for (const input of Object.keys(metafile.inputs)) {
      const [, contained] = PACKAGE.exec(input) ?? [];
      if (contained !== undefined) packages.add(contained);
    }
    await writeChanged(join(TARGET, name), text);
  }
  const licenses = await Promise.all(Array.from(packages, readLicense));
  await writeChanged(join(TARGET, 'LICENSES'), licenses.join('\n\n'));
}

function check(name, text) {
  const [character] = NOT_ASCII.exec(text) ?? [];
  if (character !== undefined) {
    throw new Error(`dist/guests/${name} has the character ${character}, which is not ASCII.`);
  }
  const [lookup] = LATE_LOOKUP.exec(text) ?? [];
  if (lookup !== undefined) {
    throw new Error(
      `dist/guests/${name} uses ${lookup}, which a program can replace: import the module of Node by default, and take ` +
        'its functions when the guest is loaded.',
    );
  }
}

async function readLicense(name) {
  const directory = join(ROOT, 'node_modules', name);
  const file = (await readdir(directory)).find((entry) => /^license/i.test(entry));
  if (file === undefined) throw new Error(`The package ${name} has no file with its license.`);
  return `${name}\n\n${await readFile(join(directory, file), 'utf8')}`;
}

/** Other processes may read the file meanwhile, so it is replaced as a whole. */
async function writeChanged(file, text) {
  const present = await readFile(file, 'utf8').catch(() => undefined);
  if (present === text) return;
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, text);
  await rename(temporary, file);
}

if (process.argv[1] === import.meta.filename) await buildGuests();
