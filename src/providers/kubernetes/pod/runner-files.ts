import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PACKAGE_DIRECTORY, readRunnerSource } from '../../../sandbox/runner-command.ts';
import { moduleName, readPythonFiles } from '../../../sandbox/runner-modules.ts';
import { assemble } from '../../../sandbox/seccomp/bpf.ts';
import { seccompProgram } from '../../../sandbox/seccomp/seccomp-program.ts';
import { readOwnFiles } from '../../../shared/installation.ts';

const SIDECAR = fileURLToPath(new URL('../../../../runner/sidecar/', import.meta.url));

/** What the containers of a pod need beside an image with Python. */
export interface RunnerFiles {
  /** The program with which both containers begin. */
  readonly bootstrap: string;
  /** The files of one directory, by name. */
  readonly texts: Readonly<Record<string, string>>;
  /** Filters of system calls, by name. */
  readonly filters: readonly (readonly [name: string, bytes: Buffer])[];
  /** The files of guests: pairs of a name in `texts`, and the path at which the guest has it. */
  readonly guestPaths: readonly (readonly [name: string, path: string])[];
  /** Changes with each of them. */
  readonly hash: string;
}

/** Reads the runner and the sidecar. */
export async function readRunnerFiles(): Promise<RunnerFiles> {
  const [{ modules, guests }, sidecar, bootstrap] = await Promise.all([
    readRunnerSource(),
    readOwnFiles(async () => readPythonFiles(SIDECAR)),
    readOwnFiles(async () =>
      readFile(join(PACKAGE_DIRECTORY, 'runner/sidecar/bootstrap.py'), 'utf8'),
    ),
  ]);
  const beside = sidecar
    .filter(([path]) => path !== 'bootstrap.py' && path !== '__init__.py')
    .map(([path, source]) => [moduleName(`sidecar/${path}`), source] as const);
  const files = guests.flatMap(({ installed }) => Object.entries(installed?.files ?? {}));
  const guestPaths = files.map(([path]) => [path.replaceAll('/', '.'), path] as const);
  const texts = Object.fromEntries([
    ...[...modules, ...beside].map(([name, source]) => [`${name}.py`, source]),
    ...files.map(([path, text]) => [path.replaceAll('/', '.'), text]),
  ]);
  const filters = filterFiles();
  const hash = createHash('sha256')
    .update(
      JSON.stringify([bootstrap, texts, filters.map(([, bytes]) => bytes.toString('base64'))]),
    )
    .digest('hex')
    .slice(0, 16);
  return { bootstrap, texts, filters, guestPaths, hash };
}

/** The filters of system calls, by the names that Python has for the architectures of nodes. */
export function filterFiles(): readonly (readonly [name: string, bytes: Buffer])[] {
  return [
    ['x86_64.filter', assemble(seccompProgram('x64', []))],
    ['aarch64.filter', assemble(seccompProgram('arm64', []))],
  ];
}
