import { dirname, join } from 'node:path';
import { RUNNER_DIRECTORY } from '../../../sandbox/runner-command.ts';
import type { Machine } from '../check/machine.ts';
import { printedBy, type TrialResult } from '../check/trial.ts';
import { PROGRAM_PATH } from '../start/bwrap-arguments.ts';
import { type InterpreterTree, nodeTree, pythonTree } from './interpreter-tree.ts';
import { type BubblewrapProviderOptions, unusableInterpreter } from './options.ts';

/** The interpreters that the user chose, with the files that they need. */
export interface ChosenInterpreters {
  readonly python: InterpreterTree | undefined;
  readonly node: InterpreterTree | undefined;
}

/** The program of the sandbox that leads to the Node that the user chose. */
const NODE_LINK = join(RUNNER_DIRECTORY, 'bin/node');

/** @throws PtcError `OPTION_INVALID` for an interpreter that cannot be used. */
export async function findInterpreters({
  python,
  node,
}: BubblewrapProviderOptions): Promise<ChosenInterpreters> {
  return {
    python: python === undefined ? undefined : await pythonTree(python),
    node: node === undefined ? undefined : await nodeTree(node),
  };
}

/** The machine with the files of these interpreters, which programs find first. */
export function withInterpreters(machine: Machine, { python, node }: ChosenInterpreters): Machine {
  const trees = [python, node].filter((tree) => tree !== undefined);
  if (trees.length === 0) return machine;
  const paths = new Set([...machine.directories, ...trees.flatMap((tree) => tree.paths)]);
  const nodeLink = node === undefined ? [] : [{ path: NODE_LINK, target: node.command }];
  const searched = [
    ...(node === undefined ? [] : [dirname(NODE_LINK)]),
    ...(python === undefined ? [] : [dirname(python.command)]),
  ];
  return {
    ...machine,
    directories: [...paths],
    links: [...machine.links, ...trees.flatMap((tree) => tree.links), ...nodeLink],
    programPath: [...searched, PROGRAM_PATH].join(':'),
  };
}

/** Prints what `checkPython` needs. */
const PYTHON_QUESTION = `import os, site, sys
print(">", "%d.%d" % sys.version_info[:2], sys.version_info >= (3, 9), sys.prefix, sep="\\n")
print(any(map(os.path.isdir, site.getsitepackages())))`;

/**
 * Checks that the interpreters start in a sandbox, and are those that the paths name.
 * @param run - Runs a command in a sandbox with their files.
 * @throws PtcError `OPTION_INVALID`
 */
export async function checkInterpreters(
  { python, node }: ChosenInterpreters,
  run: (command: readonly string[]) => Promise<TrialResult>,
): Promise<void> {
  if (python !== undefined) {
    checkPython(python, await run([python.command, '-I', '-B', '-c', PYTHON_QUESTION]));
  }
  if (node !== undefined) checkNode(node, await run([node.command, '--version']));
}

function checkPython({ command, environment }: InterpreterTree, trial: TrialResult): void {
  const [, version = '', isNew, prefix, hasLibraries] =
    /^>\n(.*)\n(True|False)\n(.*)\n(True|False)$/m.exec(trial.output) ?? [];
  const refuse = (why: string): never => {
    throw unusableInterpreter('python', command, why);
  };
  if (!trial.works || prefix === undefined) refuse(notStarted(printedBy(trial)));
  if (isNew === 'False') refuse(`is Python ${version}. Use Python 3.9 or newer.`);
  if (environment !== undefined && (prefix !== environment || hasLibraries === 'False')) {
    refuse(
      `is now Python ${version}, for which the environment ${environment} was not made. Make it again.`,
    );
  }
}

function checkNode({ command }: InterpreterTree, trial: TrialResult): void {
  const major = /^v(\d+)\./m.exec(trial.output)?.[1];
  if (!trial.works || major === undefined) {
    throw unusableInterpreter('node', command, notStarted(printedBy(trial)));
  }
  if (Number(major) < 20) {
    throw unusableInterpreter('node', command, `is Node ${major}. Use Node 20 or newer.`);
  }
}

/** A sandbox of root runs as another user, who cannot enter the home directory of root. */
function notStarted(printed: string): string {
  const line = printed.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  const advice = /permission denied/i.test(printed)
    ? 'Sandboxes of root run as other users, so all users must be able to read the installation.'
    : 'Name the interpreter itself, and not a script that chooses one, such as a shim of pyenv.';
  return `does not start in a sandbox (${line}). ${advice}`;
}
