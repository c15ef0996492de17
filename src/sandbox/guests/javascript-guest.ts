import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { SharedTask } from '../../shared/async/shared-task.ts';
import { readOwnFiles } from '../../shared/installation.ts';
import { threadCount } from '../environment.ts';
import type { Guest } from './guest.ts';
import { readGuestScript } from './guest-script.ts';
import type { ResourceLimits } from '../sandbox.ts';

const DIRECTORY = fileURLToPath(new URL('../../../runner/javascript/node/', import.meta.url));

/** Shorter than the longest argument that Linux accepts (`MAX_ARG_STRLEN`). */
const MAX_PART_LENGTH = 100_000;

const OPTIONS = [
  '--allow-fs-read=*',
  '--allow-fs-write=/tmp/*',
  // Keeps the watchdog for SIGINT running. Starting it for each entry takes 90 µs.
  '--trace-sigint',
  '--disable-warning=ExperimentalWarning',
];

/**
 * Limits V8's own threads; Node starts four by default. All threads of a guest are stopped after
 * each program and resumed for the next one, which takes about 20 µs for each thread.
 */
function poolOption(limits: ResourceLimits): string {
  return `--v8-pool-size=${threadCount(limits)}`;
}

/**
 * Starts Node with its permission model, whose option has different names in Node 20 and Node 24.
 */
const START =
  'node --permission --version >/dev/null 2>&1 && exec node --permission "$@"; exec node --experimental-permission "$@"';

/** Prints one line with the snapshot and two lines that describe the Node that it is bound to. */
const PRINT_SNAPSHOT =
  'sh "$0" make "$1" /tmp/snapshot 2>/dev/null && base64 -w 0 /tmp/snapshot && echo && sh "$0" describe';

/** Read and compressed once, because compression takes longer than to start a sandbox. */
const program = new SharedTask(readProgram);

interface NodeProgram {
  /** Its files by path, relative to `runner`. */
  readonly files: Readonly<Record<string, string>>;
  /** The arguments of Node that run the script without a file. */
  readonly commandLine: readonly string[];
}

/**
 * The guest for JavaScript and TypeScript: Node with its permission model, which lets it read
 * files, and write only in `/tmp`.
 */
export async function nodeGuest(): Promise<Guest> {
  const { files, commandLine } = await program.result(undefined);
  return {
    languages: ['typescript', 'javascript'],
    program: 'node',
    command: (limits) => [
      ...['sh', '-c', START, 'node'],
      `--max-old-space-size=${heapMebibytes(limits)}`,
      poolOption(limits),
      ...OPTIONS,
      ...commandLine,
    ],
    installed: {
      files,
      command: (directory, limits) => [
        'sh',
        `${directory}/javascript/node/start.sh`,
        String(heapMebibytes(limits)),
        poolOption(limits),
        ...OPTIONS,
      ],
      snapshot: {
        command: (directory, limits) => [
          'sh',
          '-c',
          PRINT_SNAPSHOT,
          `${directory}/javascript/node/start.sh`,
          String(heapMebibytes(limits)),
        ],
        read: (printed, directory, limits) => {
          const [snapshot = '', permission = ''] = printed.split('\n');
          const path = `javascript/node/${heapMebibytes(limits)}.snapshot`;
          return {
            files: { [path]: Buffer.from(snapshot, 'base64') },
            // It never leaves this machine, so nothing must be compared at a start, as `start.sh` does.
            command: [
              ...['node', permission, `--max-old-space-size=${heapMebibytes(limits)}`],
              ...[poolOption(limits), ...OPTIONS, '--snapshot-blob', `${directory}/${path}`],
            ],
          };
        },
      },
    },
  };
}

/**
 * The size of V8's heap is the whole limit, so that the kernel ends the process when memory runs
 * out, and the sandbox reports it. With a lower limit, V8 would abort first.
 */
function heapMebibytes({ memoryBytes }: ResourceLimits): number {
  return Math.ceil(memoryBytes / 2 ** 20);
}

async function readProgram(): Promise<NodeProgram> {
  const [boot, starter, maker, script] = await Promise.all([
    readStarter('boot.cjs'),
    readStarter('start.sh'),
    readStarter('snapshot.cjs'),
    readGuestScript('node.cjs'),
  ]);
  const compressed = await promisify(deflate)(script, { level: 9 });
  const parts =
    compressed.toString('base64').match(new RegExp(`.{1,${MAX_PART_LENGTH}}`, 'g')) ?? [];
  const files = {
    'javascript/node/guest.cjs': script,
    'javascript/node/start.sh': starter,
    'javascript/node/snapshot.cjs': maker,
  };
  return { files, commandLine: ['--eval', boot, ...parts] };
}

async function readStarter(name: string): Promise<string> {
  return readOwnFiles(async () => readFile(join(DIRECTORY, name), 'utf8'));
}
