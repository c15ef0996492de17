import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SharedTask } from '../shared/async/shared-task.ts';
import { readOwnFiles } from '../shared/installation.ts';
import type { Guest } from './guests/guest.ts';
import { guestArguments, readGuests } from './guests/guests.ts';
import { moduleName, readPythonFiles } from './runner-modules.ts';
import type { SandboxSpec } from './sandbox.ts';

/**
 * The directory of the package, with `runner/` and `Dockerfile.sandbox`. It is the same from `src`
 * and from `dist`.
 */
export const PACKAGE_DIRECTORY: string = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The directory in a sandbox with the files of guests, where `Dockerfile.sandbox` puts the runner.
 */
export const RUNNER_DIRECTORY = '/opt/sandboxed-ptc';

/** Linux accepts no longer argument of a command (`MAX_ARG_STRLEN`, including its closing NUL). */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

/** The source of the Python runner, which is passed to an interpreter when it is started. */
export interface RunnerSource {
  /** The program that starts one of the modules. */
  readonly bootstrap: string;
  /** Pairs of a module's name and its source. */
  readonly modules: readonly (readonly [name: string, source: string])[];
  /** The guests that the supervisor can start. */
  readonly guests: readonly Guest[];
  /**
   * Changes with each part that is put into an image: the Python source, and the files of the
   * guests.
   */
  readonly hash: string;
}

/** Reads the source of the Python runner. */
export async function readRunnerSource(
  directory: string = join(PACKAGE_DIRECTORY, 'runner/python'),
): Promise<RunnerSource> {
  const sources = await readOwnFiles(async () => readPythonFiles(directory));
  const guests = await readGuests();
  const files = guests.flatMap(({ installed }) => Object.entries(installed?.files ?? {}));
  const hash = createHash('sha256').update(JSON.stringify([sources, files]));
  const bootstrap = sources.find(([path]) => path === 'bootstrap.py')?.[1];
  if (bootstrap === undefined) {
    throw new Error(
      `${directory} has no bootstrap.py: the package is incomplete; install it again.`,
    );
  }
  const modules = sources
    .filter(([path]) => path !== 'bootstrap.py' && !path.endsWith('__init__.py'))
    .map(([path, source]) => [moduleName(path), source] as const);
  return { bootstrap, modules, guests, hash: hash.digest('hex').slice(0, 16) };
}

/**
 * Isolated, so that neither the environment of an image nor a file in `/tmp` can replace a module;
 * without `site`, which the guest loads itself; without writing bytecode, because nothing is
 * writable.
 */
const INTERPRETER = ['python3', '-I', '-S', '-B', '-c'];

/** The module of the supervisor that is started. */
const SUPERVISOR = moduleName('supervisor/main.py');

const START_PRECOMPILED = `import sys
sys.path.insert(0, "${RUNNER_DIRECTORY}")
from ${SUPERVISOR} import main
del sys.path[0]
main(sys.argv[1:])
`;

/** Read once, because it takes longer than to start a process. */
const ownSource = new SharedTask(async () => readRunnerSource());

/**
 * Returns the command that starts the runner: `python3` and its arguments, which contain the whole
 * source of the runner, 150 to 400 kB. So the sandbox needs no file of this package, but Python 3.9
 * or newer, and the interpreters of the languages: `node` 20 or newer, `bash`. Replace the first
 * element to use a Python with another name.
 *
 * Start it with these arguments, unchanged and one by one. A shell's command line with all of them
 * would be longer than Linux accepts: 128 KiB for one argument. Its standard input, output and error
 * must be streams of their own, and no terminal. It ends when its input ends.
 * @param spec - The languages of the sandbox, and its limits: `node` gets them as options.
 * @throws PtcError `INSTALLATION_INCOMPLETE`
 */
export async function runnerCommand(
  spec: Pick<SandboxSpec, 'languages' | 'limits'>,
): Promise<readonly string[]> {
  return runnerCommandOf(await ownSource.result(undefined), spec);
}

/**
 * The command that starts a runner from its source, in any image with Python.
 * @param directory - The directory with the guests' files, in sandboxes that have them.
 */
export function runnerCommandOf(
  source: RunnerSource,
  spec: Pick<SandboxSpec, 'languages' | 'limits'>,
  directory?: string,
): readonly string[] {
  const { bootstrap, modules, guests } = source;
  return checked([
    ...INTERPRETER,
    bootstrap,
    SUPERVISOR,
    ...modules.flat(),
    '--',
    ...guestArguments(guests, spec, directory),
  ]);
}

/**
 * The command that starts the compiled runner of an image that was built from `Dockerfile.sandbox`.
 */
export function precompiledRunnerCommand(
  { guests }: RunnerSource,
  spec: Pick<SandboxSpec, 'languages' | 'limits'>,
): readonly string[] {
  return checked([
    ...INTERPRETER,
    START_PRECOMPILED,
    ...guestArguments(guests, spec, RUNNER_DIRECTORY),
  ]);
}

function checked(command: readonly string[]): readonly string[] {
  const tooLong = command.find((argument) => Buffer.byteLength(argument) > MAX_ARGUMENT_BYTES);
  if (tooLong !== undefined) {
    throw new Error(
      `An argument of the runner's command has more than ${MAX_ARGUMENT_BYTES} bytes: ${tooLong.slice(0, 80)}…`,
    );
  }
  return command;
}
