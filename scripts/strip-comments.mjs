// Removes most comments from the JavaScript in dist, a fifth of it. The declarations have the documentation. `npm run build`
// runs this after the compiler, which would leave out the comments of both.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { transform } from 'esbuild';

const DIST = resolve(import.meta.dirname, '../dist');

const files = await readdir(DIST, { recursive: true });
await Promise.all(
  files.filter((file) => file.endsWith('.js')).map((file) => strip(join(DIST, file))),
);

async function strip(file) {
  const text = await readFile(file, 'utf8');
  const { code } = await transform(text, {
    loader: 'js',
    target: 'esnext',
    format: 'esm',
    legalComments: 'none',
  });
  // A second build leaves the files that the first one has written.
  if (code !== text) await writeFile(file, code);
}
