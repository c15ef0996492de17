import { PtcError } from '../shared/errors.ts';
import type { ProgramId } from './program-ids.ts';
import { PROGRAMS } from './program-ids.ts';

/** What a program does that the test alone cannot know; everything else the test says. */
export interface ProgramOutcome {
  /** What it prints to standard output, or what its last expression shows. */
  readonly stdout?: string | RegExp;
  readonly stderr?: string | RegExp;
  /** The type of its error, as its language calls it. */
  readonly errorType?: string;
  /** The line of its error, from 1; null where its language knows none. */
  readonly errorLine?: number | null;
  /** What the message of its error holds. */
  readonly errorMessage?: string | RegExp;
}

/** A program for one test, with what it does in this language. */
export interface ContractProgram extends ProgramOutcome {
  /** The program; several are run one after the other in one session, and all but the last must succeed. */
  readonly code: string | readonly string[];
}

/** Said of a test that a language has no program for. */
export interface AbsentProgram {
  /** Why, for the report. */
  readonly absent: string;
}

/** The programs of one language: for each test what it runs, or why it cannot. */
export type ContractPrograms = Readonly<
  Record<ProgramId, string | readonly string[] | ContractProgram | AbsentProgram>
>;

/** A program in the one form that tests take. */
export interface PreparedProgram extends ProgramOutcome {
  /** What is run first, each successfully. */
  readonly earlier: readonly string[];
  readonly code: string;
}

/** The program of a test. */
export function prepareProgram(
  programs: ContractPrograms,
  id: ProgramId,
): PreparedProgram | AbsentProgram {
  const entry = programs[id];
  if (typeof entry === 'object' && 'absent' in entry) return entry;
  const { code: texts, ...outcome } =
    typeof entry === 'string' || !('code' in entry) ? { code: entry } : entry;
  const all = typeof texts === 'string' ? [texts] : texts;
  return { ...outcome, earlier: all.slice(0, -1), code: all.at(-1) ?? '' };
}

/** @throws PtcError `OPTION_INVALID` where a test has no entry, or an entry no test. */
export function checkPrograms(programs: ContractPrograms): void {
  for (const [id, does] of Object.entries(PROGRAMS)) {
    if (programs[id as ProgramId] === undefined) {
      throw invalid(`programs has no ${id}: a program that ${does}. Or say: { absent: why }.`, id);
    }
  }
  for (const id of Object.keys(programs)) {
    if (!Object.hasOwn(PROGRAMS, id)) {
      throw invalid(`programs has ${JSON.stringify(id)}, which no test runs.`, id);
    }
  }
}

function invalid(message: string, program: string): PtcError {
  return new PtcError('OPTION_INVALID', message, { details: { option: 'programs', program } });
}
