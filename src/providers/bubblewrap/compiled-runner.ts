import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwnFiles } from '../../shared/installation.ts';
import { PACKAGE_DIRECTORY, type RunnerSource } from '../../sandbox/runner-command.ts';

const DIRECTORY = join(PACKAGE_DIRECTORY, 'runner/compiled');

/** The Python runner, compiled. */
export interface CompiledRunner {
  /** What starts it. Its modules are not on the command line, which Python would take milliseconds to decode. */
  readonly source: RunnerSource;
  /** The modules, which it reads on the descriptor after that of the filter. */
  readonly codes: Buffer;
}

/** The command that has Python compile the runner, and print what `readCompiled` reads. */
export async function compileCommand({ modules }: RunnerSource): Promise<readonly string[]> {
  const program = await readOwnFiles(async () => readFile(join(DIRECTORY, 'compile.py'), 'utf8'));
  return ['python3', '-I', '-S', '-B', '-c', program, ...modules.flat()];
}

/**
 * The same runner, compiled: to compile it takes as long as all the rest of a start. Only the Python that
 * compiled it can start it.
 */
export async function readCompiled(source: RunnerSource, printed: string): Promise<CompiledRunner> {
  const line = printed.trim();
  if (!/^[A-Za-z\d+/]+=*$/.test(line)) {
    throw new Error(`Python printed no compiled runner but ${JSON.stringify(line.slice(0, 200))}.`);
  }
  const bootstrap = await readOwnFiles(async () =>
    readFile(join(DIRECTORY, 'bootstrap.py'), 'utf8'),
  );
  return { source: { ...source, bootstrap, modules: [] }, codes: Buffer.from(line, 'base64') };
}
