import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PROGRAM_PATH } from './bwrap-arguments.ts';

/** Returns a text that changes if the program is installed again. */
export async function describeProgram(name: string): Promise<string> {
  for (const directory of PROGRAM_PATH.split(':')) {
    const facts = await describeFile(join(directory, name));
    if (facts !== '') return facts;
  }
  return '';
}

/** Returns a text that changes if a file is replaced, or if an entry of a directory changes. */
export async function describeFile(path: string): Promise<string> {
  const facts = await stat(path).catch(() => undefined);
  return facts === undefined ? '' : [path, facts.ino, facts.size, facts.mtimeMs].join(' ');
}
