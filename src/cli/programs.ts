import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { LanguageName } from '../protocol/messages.ts';
import { messageOf } from '../shared/errors.ts';
import { showBytes } from '../shared/show-bytes.ts';
import { UsageError } from './failure.ts';
import { readStart } from './read-start.ts';

/** A program to run. */
export interface Program {
  /** The file name as the user wrote it. */
  readonly name: string;
  readonly language: LanguageName;
  readonly code: string;
}

const STANDARD_INPUT = '-';

/**
 * Each provider carried 28 MiB of ASCII text to an interpreter within the default limits. 60 MB took the memory
 * of the process that passes them on, which ends the sandbox. As JSON, a byte can become 6, so this is 24 MiB at most.
 */
const MAXIMUM_BYTES = 4 * 2 ** 20;

const ENDINGS: Readonly<Record<LanguageName, readonly string[]>> = {
  python: ['.py'],
  typescript: ['.ts', '.mts'],
  javascript: ['.js', '.mjs'],
  bash: ['.sh', '.bash'],
};

export const PROGRAM_LANGUAGES = Object.keys(ENDINGS) as readonly LanguageName[];

/**
 * Reads all programs before the first one runs.
 * @param language - The language of all programs. @default by file extension, otherwise Python
 * @throws UsageError for a file that cannot be read, is too large or is not UTF-8 text.
 */
export async function readPrograms(
  files: readonly string[],
  language?: LanguageName,
): Promise<Program[]> {
  if (files.filter((file) => file === STANDARD_INPUT).length > 1) {
    throw new UsageError('Standard input (-) can be read only once; name it once.');
  }
  const programs: Program[] = [];
  for (const file of files) {
    const named = language ?? languageOf(extname(file));
    programs.push({ name: file, language: named, code: await readProgram(file) });
  }
  return programs;
}

function languageOf(ending: string): LanguageName {
  return PROGRAM_LANGUAGES.find((name) => ENDINGS[name].includes(ending)) ?? 'python';
}

async function readProgram(file: string): Promise<string> {
  const bytes = await readBytes(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError(`${file} is not UTF-8 text. Save it as UTF-8.`, { cause });
  }
}

async function readBytes(file: string): Promise<Buffer> {
  let bytes: Buffer;
  try {
    const source = file === STANDARD_INPUT ? process.stdin : createReadStream(file);
    bytes = await readStart(source, MAXIMUM_BYTES + 1);
  } catch (cause) {
    throw new UsageError(`${file} cannot be read: ${reasonOf(cause)}`, { cause });
  }
  if (bytes.length <= MAXIMUM_BYTES) return bytes;
  throw new UsageError(
    `${file} has ${await sizeOf(file)}, and a program can have ${showBytes(MAXIMUM_BYTES)}. Is it the right file? A longer program can be several files, which run in one session.`,
  );
}

/** The size of a file that is too large. */
async function sizeOf(file: string): Promise<string> {
  const stats = file === STANDARD_INPUT ? undefined : await stat(file);
  return stats?.isFile() === true ? showBytes(stats.size) : `more than ${MAXIMUM_BYTES} bytes`;
}

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ENOENT') return 'there is no such file.';
  if (code === 'EISDIR') return 'it is a directory.';
  if (code === 'EACCES') return 'permission was denied.';
  return messageOf(error);
}
