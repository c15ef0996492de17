import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

/** Below `node_modules`, where the packages are found that a bundle imports. */
const CACHE = new URL('../../../node_modules/.cache/sandboxed-ptc/bundles/', import.meta.url);

/** Where the bundle of a program is kept: in a directory of its own, beside the files that it loads later. */
export function bundlePath(program) {
  const name = createHash('sha256').update(program).digest('hex');
  return fileURLToPath(new URL(`${name}/program.mjs`, CACHE));
}
