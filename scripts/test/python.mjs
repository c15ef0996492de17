// The interpreter behind a version manager's `python3`.
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * The directory of the interpreter if `python3` is a script that looks for it, as with pyenv: it starts several shells, and the
 * tests start Python a thousand times.
 */
export function directoriesOfPython(path = process.env.PATH) {
  const program = path
    .split(delimiter)
    .map((directory) => join(directory, 'python3'))
    .find((file) => existsSync(file));
  if (program === undefined || !isScript(program)) return [];
  const print = 'import sys; print(sys.executable)';
  return [dirname(execFileSync(program, ['-c', print], { encoding: 'utf8' }).trim())];
}

function isScript(file) {
  const descriptor = openSync(file);
  try {
    const start = Buffer.alloc(2);
    readSync(descriptor, start);
    return start.toString() === '#!';
  } finally {
    closeSync(descriptor);
  }
}
