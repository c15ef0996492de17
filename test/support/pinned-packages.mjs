// Packages that some tests need and that are not among the development packages of this one, for example because they need a
// newer Node.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache');
const FILES = ['package.json', 'package-lock.json'];

/**
 * The packages of the `package.json` and the lock file in a folder of tests.
 * @param folder - Where the two files are.
 * @param name - What the packages are, for the name of their directory.
 * @returns the directory of their `node_modules`, by what is in the files, and a function that installs them there, unless an
 * earlier call did.
 */
export function pinnedPackages(folder, name) {
  const hash = createHash('sha256');
  for (const file of FILES) hash.update(readFileSync(join(folder, file)));
  const directory = join(CACHE, `${name}-${hash.digest('hex').slice(0, 16)}`);
  const install = () => {
    if (existsSync(directory)) return;
    const unfinished = `${directory}-${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    try {
      for (const file of FILES) cpSync(join(folder, file), join(unfinished, file));
      const flags = ['--engine-strict=false', '--prefer-offline', '--no-audit', '--no-fund'];
      execFileSync('npm', ['ci', ...flags], { cwd: unfinished, stdio: 'pipe' });
      renameSync(unfinished, directory);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  };
  return { directory, install };
}
