import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { messageOf } from '../shared/errors.ts';
import { UsageError } from './failure.ts';

/** A program to run. */
export interface Program {
  /** The file's name as the user gave it. */
  readonly name: string;
  readonly code: string;
}

const STANDARD_INPUT = '-';

/**
 * Reads all programs before the first one runs.
 * @throws UsageError for a file that cannot be read or is no UTF-8 text.
 */
export async function readPrograms(files: readonly string[]): Promise<Program[]> {
  if (files.filter((file) => file === STANDARD_INPUT).length > 1) {
    throw new UsageError('Standard input (-) can be read only once; name it once.');
  }
  const programs: Program[] = [];
  for (const file of files) programs.push(await readProgram(file));
  return programs;
}

async function readProgram(file: string): Promise<Program> {
  const bytes = await readBytes(file);
  try {
    return { name: file, code: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (cause) {
    throw new UsageError(`${file} is no UTF-8 text. Save it as UTF-8.`, { cause });
  }
}

async function readBytes(file: string): Promise<Buffer> {
  if (file === STANDARD_INPUT) return buffer(process.stdin);
  try {
    return await readFile(file);
  } catch (cause) {
    throw new UsageError(`${file} cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ENOENT') return 'there is no such file.';
  if (code === 'EISDIR') return 'it is a directory.';
  if (code === 'EACCES') return 'permission was denied.';
  return messageOf(error);
}
