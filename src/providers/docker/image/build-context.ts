import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PACKAGE_DIRECTORY, type RunnerSource } from '../../../sandbox/runner-command.ts';
import { readPythonFiles } from '../../../sandbox/runner-modules.ts';
import { PtcError } from '../../../shared/errors.ts';
import { makeDirectory } from '../../../shared/files/make-directory.ts';
import { readOwnFiles } from '../../../shared/installation.ts';
import { type ImagePackages, packageLines } from './packages.ts';

/** The Dockerfile of this package. It is built with the directory `runner`. */
export const DOCKERFILE = 'Dockerfile.sandbox';

/**
 * The files from which the image of sandboxes is built without build arguments, by their paths: a
 * `Dockerfile` with the version of the runner, the Python runner, and the files of the guests.
 * @param packages - What is installed in addition. Must have been checked.
 */
export async function buildContextFiles(
  runner: RunnerSource,
  packages: ImagePackages = {},
): Promise<ReadonlyMap<string, string>> {
  return readOwnFiles(async () => {
    const dockerfile = await readFile(join(PACKAGE_DIRECTORY, DOCKERFILE), 'utf8');
    const named = dockerfile.replace(
      'sandboxed-ptc.runner=unknown',
      `sandboxed-ptc.runner=${runner.hash}`,
    );
    const modules = await readPythonFiles(join(PACKAGE_DIRECTORY, 'runner/python'));
    const installed = runner.guests.flatMap((guest) =>
      Object.entries(guest.installed?.files ?? {}),
    );
    return new Map([
      ['Dockerfile', named + packageLines(packages)],
      ...modules.map(([path, source]) => [`runner/python/${path}`, source] as const),
      ...installed.map(([path, text]) => [`runner/${path}`, text] as const),
    ]);
  });
}

/**
 * Writes a directory from which the image of sandboxes can be built.
 * @throws PtcError `OPTION_INVALID` if the directory is not empty, because files of another version
 * would get into the image.
 */
export async function writeBuildContext(directory: string, runner: RunnerSource): Promise<void> {
  await makeDirectory(directory);
  if ((await readdir(directory)).length > 0) {
    throw new PtcError(
      'OPTION_INVALID',
      `The directory ${directory} is not empty. Remove it, or name one that does not exist yet.`,
    );
  }
  for (const [path, text] of await buildContextFiles(runner)) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
