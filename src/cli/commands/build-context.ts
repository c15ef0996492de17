import { writeBuildContext } from '../../providers/docker/image/build-context.ts';
import { readRunnerSource } from '../../sandbox/runner-command.ts';
import { escapeLine } from '../../shared/control-characters.ts';

/**
 * Writes the build context of a sandbox image. Returns the exit status: 0.
 * @param directory - Created if it does not exist.
 * @throws PtcError as `writeBuildContext`.
 */
export async function buildContext(directory: string): Promise<number> {
  await writeBuildContext(directory, await readRunnerSource());
  const name = escapeLine(directory);
  process.stdout.write(`Wrote ${name}. Next: docker build -t my-sandbox ${name}\n`);
  return 0;
}
