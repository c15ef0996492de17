import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PtcError } from '../../../shared/errors.ts';
import { readOwnFiles } from '../../../shared/installation.ts';
import { PACKAGE_DIRECTORY, type RunnerSource } from '../../../sandbox/runner-command.ts';

const DIRECTORY = join(PACKAGE_DIRECTORY, 'runner/compiled');

/** The Python runner, compiled. */
export interface CompiledRunner {
  /**
   * The source without its modules, which would take Python milliseconds to decode from the command
   * line.
   */
  readonly source: RunnerSource;
  /**
   * The compiled modules. The runner reads them from the file descriptor after that of the filter.
   */
  readonly codes: Buffer;
}

/** The command that compiles the runner and prints the input of `readCompiled`. */
export async function compileCommand({ modules }: RunnerSource): Promise<readonly string[]> {
  const program = await readOwnFiles(async () => readFile(join(DIRECTORY, 'compile.py'), 'utf8'));
  return ['python3', '-I', '-S', '-B', '-c', program, ...modules.flat()];
}

/**
 * Returns the compiled runner. To compile it takes as long as the rest of a start. Only the same
 * version of Python that compiled it can start it.
 * @throws PtcError `SANDBOX_START_FAILED`, `INSTALLATION_INCOMPLETE`
 */
export async function readCompiled(source: RunnerSource, printed: string): Promise<CompiledRunner> {
  const line = printed.trim();
  if (!/^[A-Za-z\d+/]+=*$/.test(line)) {
    throw new PtcError(
      'SANDBOX_START_FAILED',
      `Python printed ${JSON.stringify(line.slice(0, 200))} instead of the compiled runner. Make python3 start without output of its own, or choose another with the \`python\` option.`,
    );
  }
  const bootstrap = await readOwnFiles(async () =>
    readFile(join(DIRECTORY, 'bootstrap.py'), 'utf8'),
  );
  return { source: { ...source, bootstrap, modules: [] }, codes: Buffer.from(line, 'base64') };
}
