// Runs a program as one file that is made of its modules: node test/support/bundles/run.mjs PROGRAM [ARGUMENT]…
// To load three hundred modules one by one takes 0.2 s of processor time, and half a second if they are TypeScript.
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundlePath } from './bundle-path.mjs';

const [, , program] = process.argv;
process.argv.splice(1, 1);
const bundle = bundlePath(program);
if (isCurrent()) await import(pathToFileURL(bundle).href);
else {
  const isKept = makeBundle();
  if (!isKept) await import('../typescript-loader.mjs');
  await import(pathToFileURL(isKept ? bundle : program).href);
}

/** In a process of its own: the service of esbuild would go on beside the program, as one of its children. */
function makeBundle() {
  const maker = fileURLToPath(new URL('make-bundle.mjs', import.meta.url));
  const stdio = ['ignore', 'ignore', 'inherit'];
  return spawnSync(process.execPath, [maker, program, bundle], { stdio }).status === 0;
}

/** Whether the bundle was made of the modules as they are now. */
function isCurrent() {
  try {
    const text = readFileSync(bundle, 'utf8');
    const inputs = JSON.parse(text.slice('// '.length, text.indexOf('\n')));
    return inputs.every(([path, size, mtimeMs]) => {
      const found = statSync(path);
      return found.size === size && found.mtimeMs === mtimeMs;
    });
  } catch {
    return false;
  }
}
