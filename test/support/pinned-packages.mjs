// Packages that some tests need and that are not among the development packages of this one, for example because they need a
// newer Node.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { PACKAGE_CACHE } from '../../scripts/test/cache.mjs';

const FILES = ['package.json', 'package-lock.json'];

/** By the projects of vitest that need them. */
export const PINNED_PACKAGES = {
  'system-ai-sdk-7': pinnedPackages('ai-sdk/version-7', 'ai-sdk-7', 'version 7 of the AI SDK'),
  'system-mcp-conformance': pinnedPackages(
    'mcp/conformance',
    'mcp-conformance',
    'the conformance suite of MCP',
  ),
  'system-mcp-clients': pinnedPackages(
    'mcp/clients',
    'mcp-clients',
    'a client and a server of MCP',
  ),
  'system-frameworks': pinnedPackages('examples/frameworks', 'frameworks', 'frameworks for agents'),
  package: pinnedPackages(
    'package/clients',
    'clients',
    'several versions of the clients of model services',
  ),
  cluster: pinnedPackages('cluster/chart', 'helm', 'Helm, 36 MB', '--omit=peer'),
};

/**
 * The packages of the `package.json` and the lock file in a folder of tests.
 * @param folder - Where the two files are, below `test`.
 * @param name - For the name of the directory.
 * @param what - What the packages are, in words.
 * @param ownFlags - Of `npm ci`, for these packages only.
 * @returns the directory of their `node_modules`, by what is in the files, and a function that installs them there, unless an
 * earlier call did.
 */
function pinnedPackages(folder, name, what, ...ownFlags) {
  const source = resolve(import.meta.dirname, '..', folder);
  const hash = createHash('sha256');
  for (const file of FILES) hash.update(readFileSync(join(source, file)));
  const directory = join(PACKAGE_CACHE, `${name}-${hash.digest('hex').slice(0, 16)}`);
  const install = () => {
    if (existsSync(directory)) return;
    const unfinished = `${directory}-${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    try {
      for (const file of FILES) cpSync(join(source, file), join(unfinished, file));
      const flags = ['--engine-strict=false', '--prefer-offline', '--no-audit', '--no-fund'];
      execFileSync('npm', ['ci', ...flags, ...ownFlags], { cwd: unfinished, stdio: 'pipe' });
      renameSync(unfinished, directory);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  };
  return { what, directory, install };
}
