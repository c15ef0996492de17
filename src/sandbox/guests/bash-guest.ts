import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOwnFiles } from '../../shared/installation.ts';
import { moduleName } from '../runner-modules.ts';
import type { Guest } from './guest.ts';

const DIRECTORY = fileURLToPath(new URL('../../../runner/', import.meta.url));

/** The modules that the guest needs, and `finder.py`, by which they are found. */
const MODULES = [
  'python/finder.py',
  'python/shared/lean_json.py',
  'python/shared/frames.py',
  'python/shared/parameters.py',
  'python/guest/calls/call_bounds.py',
  'python/guest/program/values.py',
  'python/shared/processes.py',
  'bash/loop.py',
  'bash/arguments.py',
  'bash/line_blocks.py',
  'bash/call_lines.py',
  'bash/calls.py',
  'bash/builtin_calls.py',
  'bash/shell_failures.py',
  'bash/shell.py',
  'bash/shell_guest.py',
];

const SCRIPTS = ['shell', 'tools', 'traps'];

/** The file that tools' names lead to for programs that start other programs, such as `xargs`. */
const COMMAND_FILE = 'bash/command.sh';

/** The guest for bash. It runs on the Python that every sandbox has. */
export async function bashGuest(): Promise<Guest> {
  return readOwnFiles(readGuest);
}

async function readGuest(): Promise<Guest> {
  const [bootstrap, modules, scripts] = await Promise.all([
    readFile(join(DIRECTORY, 'python/bootstrap.py'), 'utf8'),
    Promise.all(
      MODULES.map(async (path) => [
        moduleName(path.replace(/^python\//, '')),
        await readFile(join(DIRECTORY, path), 'utf8'),
      ]),
    ),
    Promise.all(
      SCRIPTS.map(async (name) => [
        name,
        await readFile(join(DIRECTORY, `bash/${name}.sh`), 'utf8'),
      ]),
    ),
  ]);
  const python = ['python3', '-I', '-S', '-B', '-c', bootstrap, moduleName('bash/shell_guest.py')];
  const command = [...python, ...modules.flat(), '--', ...scripts.flat()];
  return {
    languages: ['bash'],
    program: 'bash',
    command: () => command,
    installed: {
      files: { [COMMAND_FILE]: await readFile(join(DIRECTORY, COMMAND_FILE), 'utf8') },
      command: (directory) => [...command, 'command', join(directory, COMMAND_FILE)],
    },
  };
}
