import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_DIRECTORY, type RunnerSource } from '../../sandbox/runner-command.ts';

const DIRECTORY = join(PACKAGE_DIRECTORY, 'runner/compiled');

/** The command that has Python compile the runner, and print what `readCompiled` reads. */
export async function compileCommand({ modules }: RunnerSource): Promise<readonly string[]> {
  const program = await readFile(join(DIRECTORY, 'compile.py'), 'utf8');
  return ['python3', '-I', '-S', '-B', '-c', program, ...modules.flat()];
}

/**
 * The same runner, compiled: to compile it takes as long as all the rest of a start. Only the Python that
 * compiled it can start it.
 */
export async function readCompiled(source: RunnerSource, printed: string): Promise<RunnerSource> {
  const [version = '', ...codes] = printed.trim().split('\n');
  const names = source.modules.map(([name]) => name);
  if (codes.length !== names.length) {
    throw new Error(`Python compiled ${codes.length} of the runner's ${names.length} modules.`);
  }
  return {
    ...source,
    bootstrap: await readFile(join(DIRECTORY, 'bootstrap.py'), 'utf8'),
    modules: [
      ['version', version],
      ...names.map((name, index) => [name, codes[index] ?? ''] as const),
    ],
  };
}
