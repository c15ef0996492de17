// Finds suites that must be fetched by hand, and says how to fetch them.

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hasImage, hostCommand, prepareImage } from './plain.mjs';

/**
 * A public repository, some of whose folders are needed.
 * @typedef {object} Suite
 * @property {string} directory - The directory in the directory of all suites.
 * @property {string} needs - A file that exists if the suite does.
 * @property {string} address
 * @property {string} commit
 * @property {readonly string[]} folders
 */

/** The default directory of all suites. */
export function suitesDirectory() {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'sandboxed-ptc', 'fidelity');
}

/**
 * The place of a suite, or why it is missing and what to do.
 * @typedef {{ path?: string, image?: string } | { missing: string, remedy?: string }} Found
 */

/**
 * @returns {(sandbox: string, directory: string) => Promise<Found>} Finds the suite in the
 *   directory of all suites.
 */
export function inRepository({ directory: name, needs, address, commit, folders }) {
  return async (_sandbox, directory) => {
    const path = join(directory, name);
    if (existsSync(join(path, needs))) return { path };
    const remedy = [
      `git clone --filter=blob:none --no-checkout ${address} ${path}`,
      `git -C ${path} sparse-checkout set ${folders.join(' ')}`,
      `git -C ${path} checkout ${commit}`,
    ].join('\n');
    return { missing: `${join(path, needs)} is not there`, remedy };
  };
}

/** Finds CPython's tests, which Debian has in a package. @returns {Promise<Found>} */
export async function findPythonTests(sandbox) {
  if (sandbox === 'embedded') {
    return {
      missing: "Pyodide's npm package has no tests, and there is no plain interpreter of it",
    };
  }
  if (sandbox === 'docker') return findTestImage();
  const look = 'import sys; print("%d.%d" % sys.version_info[:2]); import test.test_json';
  const { stdout, exitCode } = await hostCommand()(['python3', '-c', look], { seconds: 60 });
  if (exitCode === 0) return {};
  const remedy = `apt-get install --no-install-recommends libpython${stdout.trim()}-testsuite`;
  return { missing: 'python3 cannot import test.test_json', remedy };
}

async function findTestImage() {
  const sandboxImage = await prepareImage();
  const image = sandboxImage.replace(':', '-fidelity:');
  if (await hasImage(image)) return { image };
  const argument = `--build-arg SANDBOX_IMAGE=${sandboxImage}`;
  const remedy = `docker build --network host ${argument} --tag ${image} bench/fidelity`;
  return { missing: `there is no image ${image}`, remedy };
}
