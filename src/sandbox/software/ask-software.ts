import { readFile } from 'node:fs/promises';
import { isRecord } from '../../shared/guards.ts';
import { readOwnFiles } from '../../shared/installation.ts';
import type { LanguageSoftware, SandboxSoftware, SoftwareVersion } from './software.ts';

const PROGRAM = new URL('../../../runner/probe/software.py', import.meta.url);

/** The names of libraries and their versions come from an image, and go to a model. */
const NAME = /^(?:@[\w.-]{1,60}\/)?\w[\w.-]{0,60}$/;
const VERSION = /^\d[\w.+!-]{0,30}$/;
/** A version as an interpreter prints it: `v20.19.2`, `5.2.37(1)-release`. */
const PRINTED_VERSION = /^v?(\d[\w.+-]{0,30})/;
const MOST_LIBRARIES = 500;
const MOST_DIRECTORIES = 100;

/** The most characters that an answer can have. */
export const LONGEST_ANSWER: number = 128 * 1024;

/** What a sandbox answers to `softwareCommand`. */
export interface SoftwareAnswer {
  readonly software: SandboxSoftware;
  /** The directories in which Python searches. They change if a library is installed. */
  readonly searched: readonly string[];
}

/**
 * Returns the command that prints which interpreters and libraries a sandbox has, for
 * `readSoftware`. Run it in a sandbox like those of programs. Replace the first element to ask a
 * Python with another name.
 * @throws PtcError `INSTALLATION_INCOMPLETE`
 */
export async function softwareCommand(): Promise<readonly string[]> {
  const program = await readOwnFiles(async () => readFile(PROGRAM, 'utf8'));
  return ['python3', '-I', '-B', '-c', program];
}

/**
 * Reads what the command of `softwareCommand` printed. Names and versions that no registry would
 * accept are left out, because a model reads them. Undefined if it is not an answer.
 */
export function readSoftware(printed: string): SoftwareAnswer | undefined {
  const answer = parse(printed.slice(0, LONGEST_ANSWER));
  if (!isRecord(answer)) return undefined;
  const javascript = languageSoftware('Node', answer['node']);
  const { searched } = answer;
  return {
    software: {
      ...entry('python', languageSoftware('Python', answer['python'])),
      ...entry('typescript', javascript),
      ...entry('javascript', javascript),
      ...entry('bash', languageSoftware('bash', answer['bash'])),
    },
    searched: listOf(searched, MOST_DIRECTORIES).filter((path) => typeof path === 'string'),
  };
}

function entry(
  name: keyof SandboxSoftware,
  software: LanguageSoftware | undefined,
): SandboxSoftware {
  return software === undefined ? {} : { [name]: software };
}

/** The answer is one line. The interpreter may print warnings too. */
function parse(printed: string): unknown {
  try {
    return JSON.parse(printed.split('\n').findLast((line) => line.startsWith('{')) ?? '');
  } catch {
    return undefined;
  }
}

function languageSoftware(name: string, answer: unknown): LanguageSoftware | undefined {
  if (!isRecord(answer) || typeof answer['version'] !== 'string') return undefined;
  const version = PRINTED_VERSION.exec(answer['version'])?.[1];
  if (version === undefined) return undefined;
  const { libraries } = answer;
  if (!Array.isArray(libraries)) return { name, version };
  return { name, version, libraries: listOf(libraries, MOST_LIBRARIES).flatMap(library) };
}

function library(pair: unknown): SoftwareVersion[] {
  const [name, version] = listOf(pair, 2);
  if (typeof name !== 'string' || typeof version !== 'string') return [];
  return NAME.test(name) && VERSION.test(version) ? [{ name, version }] : [];
}

function listOf(value: unknown, most: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}
