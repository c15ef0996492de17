// Removes the declarations in dist that no entry point of the package refers to. Nobody can import those files, because
// package.json has `exports`, and they would be a third of what is installed of dist. `npm run build` runs this after the
// compiler, which does not notice that files are gone: if a change makes one of them needed, it has to write all of them again.
import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '..');
const EXTENSION = /\.js$/;

const { exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const entries = Object.values(exports).filter((path) => EXTENSION.test(path));
const needed = await findNeeded().catch(async (error) => {
  if (error.code !== 'ENOENT') throw error;
  execFileSync('tsc', ['-b', '--force', 'tsconfig.build.json'], { cwd: ROOT, stdio: 'inherit' });
  return findNeeded();
});

const files = await readdir(join(ROOT, 'dist'), { recursive: true });
const declarations = files
  .filter((file) => file.endsWith('.d.ts'))
  .map((file) => join(ROOT, 'dist', file));
await Promise.all(declarations.filter((file) => !needed.has(file)).map((file) => rm(file)));

/** The declarations of the entry points and of all that they refer to. */
async function findNeeded() {
  const found = new Set();
  for (const entry of entries) await visit(join(ROOT, entry.replace(EXTENSION, '.d.ts')), found);
  return found;
}

/** Adds a declaration file and all that it refers to. */
async function visit(file, found) {
  if (found.has(file)) return;
  found.add(file);
  const { importedFiles } = ts.preProcessFile(await readFile(file, 'utf8'), true, true);
  for (const { fileName } of importedFiles) {
    if (!fileName.startsWith('.')) continue;
    await visit(resolve(dirname(file), fileName.replace(/\.[jt]s$/, '.d.ts')), found);
  }
}
