import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * For what removes a cluster: a test run that is interrupted kills the processes that have its variable, and such a script
 * has to do its work after that.
 */
export const SCRIPT_ENVIRONMENT: NodeJS.ProcessEnv = { ...process.env };
delete SCRIPT_ENVIRONMENT['SANDBOXED_PTC_TEST_RUN'];

/** Runs `scripts/test-cluster.sh`. @returns what it printed on its standard output. @throws what it said, if it fails. */
export async function runScript(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...process.env, ...environment };
  const { stdout } = await promisify(execFile)('scripts/test-cluster.sh', args, { env });
  return stdout;
}
