import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOwnFiles } from '../../shared/installation.ts';
import type { Guest } from './guest.ts';

const DIRECTORY = fileURLToPath(new URL('../../../runner/', import.meta.url));

/** The modules of the guest, each after the modules that it imports. */
const MODULES = [
  'python/lean_json',
  'python/frames',
  'python/call_bounds',
  'python/values',
  'python/processes',
  'bash/loop',
  'bash/arguments',
  'bash/calls',
  'bash/shell_failures',
  'bash/shell',
  'bash/shell_guest',
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
    readFile(join(DIRECTORY, 'bash/bootstrap.py'), 'utf8'),
    Promise.all(
      MODULES.map(async (path) => [
        path.slice(path.indexOf('/') + 1),
        await readFile(join(DIRECTORY, `${path}.py`), 'utf8'),
      ]),
    ),
    Promise.all(
      SCRIPTS.map(async (name) => [
        name,
        await readFile(join(DIRECTORY, `bash/${name}.sh`), 'utf8'),
      ]),
    ),
  ]);
  const python = ['python3', '-I', '-S', '-B', '-c', bootstrap];
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
