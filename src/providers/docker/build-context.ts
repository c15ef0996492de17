import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PACKAGE_DIRECTORY, type RunnerSource } from '../../sandbox/runner-command.ts';

/** What an image is built from, beside the directory that it needs. */
export const DOCKERFILE = 'Dockerfile.sandbox';

/**
 * Has a directory be there for as long as something is built from it: with `Dockerfile.sandbox`, the Python runner
 * and what the guests have in an image.
 */
export async function withBuildContext<Result>(
  runner: RunnerSource,
  use: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-'));
  try {
    await cp(join(PACKAGE_DIRECTORY, DOCKERFILE), join(directory, DOCKERFILE));
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
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
