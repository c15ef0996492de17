// Other releases of Node, from the npm packages that have nothing but the program of one platform.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const CACHE = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'sandboxed-ptc',
  'node',
);

/**
 * Downloads a release of Node, unless an earlier call did. A release takes 100 to 200 MB below `~/.cache/sandboxed-ptc`.
 * @param version - Such as `24.21.0`.
 * @returns the directory of its program `node`.
 * @throws Error if npm has no such release for this platform.
 */
export async function nodeRelease(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const directory = join(CACHE, version);
  const programs = join(directory, 'node_modules', name, 'bin');
  if (existsSync(programs)) return programs;
  await mkdir(CACHE, { recursive: true });
  const incomplete = await mkdtemp(join(CACHE, 'download-'));
  try {
    const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
    execFileSync('npm', ['install', ...options, '--prefix', incomplete, `${name}@${version}`]);
    await rename(incomplete, directory);
  } catch (error) {
    // Two downloads at the same time have the same result.
    if (!existsSync(programs)) throw new Error(describe(name, version), { cause: error });
  } finally {
    await rm(incomplete, { recursive: true, force: true });
  }
  return programs;
}

function describe(name, version) {
  return `npm could not install ${name}@${version}. Look at https://www.npmjs.com/package/${name} for the releases that it has.`;
}
