import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PACKAGE_DIRECTORY, type RunnerSource } from '../../../sandbox/runner-command.ts';
import { PtcError } from '../../../shared/errors.ts';
import { makeDirectory } from '../../../shared/files/make-directory.ts';
import { readOwnFiles } from '../../../shared/installation.ts';
import { type ImagePackages, packageLines } from './packages.ts';

/** The Dockerfile of this package. It is built with the directory `runner`. */
export const DOCKERFILE = 'Dockerfile.sandbox';

/** Writes a build context into a temporary directory, which is removed when `use` has returned. */
export async function withBuildContext<Result>(
  runner: RunnerSource,
  use: (directory: string) => Promise<Result>,
  packages?: ImagePackages,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-'));
  try {
    await writeBuildContext(directory, runner, packages);
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Writes a directory from which the image of sandboxes can be built without build arguments: a
 * `Dockerfile` with the version of the runner, the Python runner, and the files of the guests.
 * @param packages - What is installed in addition. Must have been checked.
 * @throws PtcError `OPTION_INVALID` if the directory is not empty, because files of another version
 * would get into the image.
 */
export async function writeBuildContext(
  directory: string,
  runner: RunnerSource,
  packages: ImagePackages = {},
): Promise<void> {
  await makeDirectory(directory);
  if ((await readdir(directory)).length > 0) {
    throw new PtcError(
      'OPTION_INVALID',
      `The directory ${directory} is not empty. Remove it, or name one that does not exist yet.`,
    );
  }
  const dockerfile = await readOwnFiles(async () =>
    readFile(join(PACKAGE_DIRECTORY, DOCKERFILE), 'utf8'),
  );
  const named = dockerfile.replace(
    'sandboxed-ptc.runner=unknown',
    `sandboxed-ptc.runner=${runner.hash}`,
  );
  await writeFile(join(directory, 'Dockerfile'), named + packageLines(packages));
  await cp(join(PACKAGE_DIRECTORY, 'runner/python'), join(directory, 'runner/python'), {
    recursive: true,
    filter: (path) => !path.endsWith('__pycache__'),
  });
  for (const { installed } of runner.guests) {
    for (const [path, text] of Object.entries(installed?.files ?? {})) {
      const file = join(directory, 'runner', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }
}
