import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RUNNER_DIRECTORY = fileURLToPath(new URL('../../../runner/', import.meta.url));

export const SUPERVISOR_PATH: string = join(RUNNER_DIRECTORY, 'embedded/supervisor.mjs');

/** Each imports only those before it. */
const WORKER_MODULES = [
  'byte-ring.mjs',
  'worker/globals.mjs',
  'worker/host-device.mjs',
  'worker/interpreter.mjs',
  'worker/snapshot.mjs',
  'worker/storage-limit.mjs',
  'worker/main.mjs',
];

/** Pyodide's files, by the names that the supervisor has for them, in the order in which it uses them. */
const PYODIDE_FILES = {
  runtime: 'pyodide.asm.mjs',
  loader: 'pyodide.mjs',
  wasm: 'pyodide.asm.wasm',
  standard_library: 'python_stdlib.zip',
} as const;

/** Everything that a guest is made of, but its snapshot. */
export interface GuestFiles {
  /** Modules of the worker by file name, in the order in which they import each other. */
  readonly workerModules: Readonly<Record<string, string>>;
  /** Modules of the Python runner by file name. */
  readonly pythonModules: Readonly<Record<string, string>>;
  readonly pyodide: Readonly<Record<keyof typeof PYODIDE_FILES, Buffer>>;
  /** Changes whenever a file of the runner does. */
  readonly runnerHash: string;
}

export async function readGuestFiles(pyodideDirectory: string): Promise<GuestFiles> {
  const embedded = join(RUNNER_DIRECTORY, 'embedded');
  const [workerModules, pythonModules, ownPythonModules, ...pyodide] = await Promise.all([
    readModules(embedded, WORKER_MODULES),
    readPythonModules(join(RUNNER_DIRECTORY, 'python')),
    readPythonModules(join(embedded, 'python')),
    ...Object.entries(PYODIDE_FILES).map(
      async ([name, file]) => [name, await readFile(join(pyodideDirectory, file))] as const,
    ),
  ]);
  const runner = {
    workerModules,
    pythonModules: { ...pythonModules, ...ownPythonModules },
  };
  return {
    ...runner,
    pyodide: Object.fromEntries(pyodide) as GuestFiles['pyodide'],
    runnerHash: createHash('sha256').update(JSON.stringify(runner)).digest('hex').slice(0, 16),
  };
}

async function readPythonModules(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.py')).sort();
  return readModules(directory, names);
}

async function readModules(
  directory: string,
  names: readonly string[],
): Promise<Record<string, string>> {
  const entries = names.map(async (name) => {
    const source = await readFile(join(directory, name), 'utf8');
    return [name.slice(name.lastIndexOf('/') + 1), source] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** What a process of the supervisor is started for. */
export type BootTask =
  | { readonly task: 'snapshot' }
  | {
      readonly task: 'serve';
      readonly snapshot: Buffer;
      readonly memoryBytes: number;
      readonly temporaryStorageBytes: number;
    };

/** What the supervisor reads first: a line of JSON, then the files that the line tells the sizes of. */
export function bootInput(files: GuestFiles, boot: BootTask): Buffer[] {
  const isServing = boot.task === 'serve';
  const parts = { ...files.pyodide, snapshot: isServing ? boot.snapshot : Buffer.alloc(0) };
  const sizes = Object.entries(parts).map(([name, part]) => [name, part.length]);
  const header = {
    task: boot.task,
    worker_modules: files.workerModules,
    // A snapshot has them in it.
    python_modules: isServing ? {} : files.pythonModules,
    file_sizes: Object.fromEntries(sizes),
    memory_bytes: isServing ? boot.memoryBytes : 0,
    temporary_storage_bytes: isServing ? boot.temporaryStorageBytes : 0,
  };
  return [Buffer.from(`${JSON.stringify(header)}\n`), ...Object.values(parts)];
}
