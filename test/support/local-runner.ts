import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  compileCommand,
  readCompiled,
} from '../../src/providers/bubblewrap/start/compiled-runner.ts';
import {
  PACKAGE_DIRECTORY,
  readRunnerSource,
  runnerCommandOf,
  type RunnerSource,
} from '../../src/sandbox/runner-command.ts';
import { startChild } from '../../src/sandbox/child-process.ts';
import type { SandboxSpec } from '../../src/sandbox/sandbox.ts';

const CACHE = join(PACKAGE_DIRECTORY, 'node_modules/.cache/sandboxed-ptc/local-runner');

/** The bootstrap reads the compiled modules from descriptor 4. */
const OPEN_CODES = `import os, sys
os.dup2(os.open(sys.argv.pop(1), os.O_RDONLY), 4)
`;

const PARTS_OF = 'parts = _below_root(path, path)\n';

/**
 * Gives each runner a directory of its own for output that was too long: sandboxes of the local provider share `/tmp`. Their
 * programs do not find it.
 */
const OWN_OUTPUT = `${PARTS_OF}    if parts[:1] == ["full-output"]: parts = [os.path.basename(os.environ["HOME"]), *parts]\n`;

interface LocalRunner {
  readonly source: RunnerSource;
  /** The file with the compiled modules. */
  readonly codes: string;
}

const runners = new Map<string, Promise<LocalRunner>>();

/**
 * The command of a runner that this process compiles once for each interpreter: otherwise more than half of a start is to
 * compile it. Its `HOME` must be a directory of its own in `/tmp`.
 */
export async function localRunnerCommand(
  python: string,
  spec: Pick<SandboxSpec, 'languages' | 'limits'>,
): Promise<readonly string[]> {
  const runner = runners.get(python) ?? compile(python);
  runners.set(python, runner);
  // A test may have taken the interpreter away.
  runner.catch(() => runners.delete(python));
  const { source, codes } = await runner;
  const [, ...command] = runnerCommandOf(source, spec);
  const bootstrap = command.indexOf(source.bootstrap);
  return [python, ...command.slice(0, bootstrap + 1), codes, ...command.slice(bootstrap + 1)];
}

async function compile(python: string): Promise<LocalRunner> {
  const read = await readRunnerSource();
  const modules = read.modules.map(
    ([name, module]) => [name, module.replace(PARTS_OF, OWN_OUTPUT)] as const,
  );
  const [, ...command] = await compileCommand({ ...read, modules });
  const environment = { PATH: process.env['PATH'] };
  const { child } = await startChild([python, ...command], { environment, directory: '/' });
  const { source, codes } = await readCompiled(read, await text(child.stdout));
  // Other processes have other interpreters or sources, so the name is that of the content.
  const file = join(CACHE, createHash('sha256').update(codes).digest('hex').slice(0, 16));
  await mkdir(CACHE, { recursive: true });
  await writeFile(`${file}.${process.pid}`, codes);
  await rename(`${file}.${process.pid}`, file);
  return { source: { ...source, bootstrap: OPEN_CODES + source.bootstrap }, codes: file };
}
