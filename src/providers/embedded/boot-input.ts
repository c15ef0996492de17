import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LanguageName } from '../../protocol/messages.ts';
import { readGuestScript } from '../../sandbox/guests/guest-script.ts';
import { readPythonFiles } from '../../sandbox/runner-modules.ts';
import { readOwnFiles } from '../../shared/installation.ts';
import type { ReadWheel } from './wheels.ts';

const RUNNER_DIRECTORY = fileURLToPath(new URL('../../../runner/', import.meta.url));

export const SUPERVISOR_PATH: string = join(RUNNER_DIRECTORY, 'embedded/supervisor.mjs');

/** Pyodide's files by the supervisor's names for them, in the order in which it uses them. */
const PYODIDE_FILES = {
  runtime: 'pyodide.asm.mjs',
  loader: 'pyodide.mjs',
  wasm: 'pyodide.asm.wasm',
  standard_library: 'python_stdlib.zip',
} as const;

/** The files of a guest for Python, without its snapshot. */
export interface GuestFiles {
  /** The script of the worker. */
  readonly workerScript: string;
  /** Sources of the Python runner's modules by their paths in its package. */
  readonly pythonModules: Readonly<Record<string, string>>;
  readonly pyodide: Readonly<Record<keyof typeof PYODIDE_FILES, Buffer>>;
  /** Changes with each file of the runner. */
  readonly runnerHash: string;
}

export async function readGuestFiles(pyodideDirectory: string): Promise<GuestFiles> {
  const embedded = join(RUNNER_DIRECTORY, 'embedded');
  const [workerScript, pythonModules, ownPythonModules, ...pyodide] = await readOwnFiles(async () =>
    Promise.all([
      readGuestScript('python.mjs'),
      readPythonFiles(join(RUNNER_DIRECTORY, 'python')),
      readPythonFiles(join(embedded, 'python')),
      ...Object.entries(PYODIDE_FILES).map(
        async ([name, file]) => [name, await readFile(join(pyodideDirectory, file))] as const,
      ),
    ]),
  );
  const runner = {
    workerScript,
    pythonModules: Object.fromEntries([
      ...pythonModules,
      ...ownPythonModules.map(([path, source]) => [`embedded/${path}`, source]),
    ]),
  };
  return {
    ...runner,
    pyodide: Object.fromEntries(pyodide) as GuestFiles['pyodide'],
    runnerHash: createHash('sha256').update(JSON.stringify(runner)).digest('hex').slice(0, 16),
  };
}

/** A guest that the supervisor starts in a worker. */
export interface GuestWorker {
  readonly languages: readonly LanguageName[];
  /** The text of a module that imports only modules of Node. */
  readonly script: string;
}

/** The parts of a sandbox. */
export interface BootParts {
  /** Present if Python is one of the languages. The snapshot contains the runner's modules. */
  readonly python?: { readonly files: GuestFiles; readonly snapshot: Buffer };
  readonly javascript?: GuestWorker;
  readonly memoryBytes: number;
  readonly temporaryStorageBytes: number;
}

/**
 * The first input of a supervisor that makes a snapshot.
 * @param wheels - Libraries for the snapshot.
 */
export function snapshotInput(files: GuestFiles, wheels: readonly ReadWheel[]): Buffer[] {
  const ofWheels = wheels.map(({ fileName, content }) => [fileName, content] as const);
  const header = {
    task: 'snapshot',
    python_modules: files.pythonModules,
    wheels: ofWheels.map(([name]) => name),
  };
  const parts = { ...files.pyodide, snapshot: Buffer.alloc(0), ...Object.fromEntries(ofWheels) };
  return input(header, [pythonWorker(files)], parts);
}

/** The first input of a supervisor that serves a host. */
export function bootInput({ python, javascript, ...limits }: BootParts): Buffer[] {
  const guests = [python && pythonWorker(python.files), javascript].filter(
    (one) => one !== undefined,
  );
  const header = {
    task: 'serve',
    python_modules: {},
    wheels: [],
    memory_bytes: limits.memoryBytes,
    temporary_storage_bytes: limits.temporaryStorageBytes,
  };
  return input(header, guests, python && { ...python.files.pyodide, snapshot: python.snapshot });
}

/** A line of JSON, then the files, whose sizes are in that line. */
function input(
  header: object,
  guests: readonly GuestWorker[],
  files: Readonly<Record<string, Buffer>> = {},
): Buffer[] {
  const sizes = Object.entries(files).map(([name, file]) => [name, file.length]);
  const line = JSON.stringify({ ...header, guests, file_sizes: Object.fromEntries(sizes) });
  return [Buffer.from(`${line}\n`), ...Object.values(files)];
}

function pythonWorker({ workerScript }: GuestFiles): GuestWorker {
  return { languages: ['python'], script: workerScript };
}
