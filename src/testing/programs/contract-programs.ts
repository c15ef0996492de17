import { PtcError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/guards.ts';
import { showValue } from '../../shared/show-value.ts';
import type { ProgramId } from './program-ids.ts';
import { PROGRAMS } from './program-ids.ts';

/** The parts of a program's result that depend on its language. The test knows the others. */
export interface ProgramOutcome {
  /** What it prints to standard output, with the value of its last expression if that is shown. */
  readonly stdout?: string | RegExp;
  readonly stderr?: string | RegExp;
  /** The type of its error, as its language calls it. */
  readonly errorType?: string;
  /** The line of its error, from 1; null if its language does not know the line. */
  readonly errorLine?: number | null;
  /** A part of the message of its error. */
  readonly errorMessage?: string | RegExp;
}

/** A program in one language, with the parts of its result that depend on the language. */
export interface ContractProgram extends ProgramOutcome {
  /** The program. Several are run one after another in one session, and all but the last must succeed. */
  readonly code: string | readonly string[];
}

/** Says that a language has no such program. The tests that need it are skipped. */
export interface AbsentProgram {
  /** The reason, for the report. */
  readonly absent: string;
}

/** The programs of one language: for each id a program, or the reason why there is none. */
export type ContractPrograms = Readonly<
  Record<ProgramId, string | readonly string[] | ContractProgram | AbsentProgram>
>;

/** A program in the form that tests use. */
export interface PreparedProgram extends ProgramOutcome {
  /** The programs to run before it. Each must succeed. */
  readonly earlier: readonly string[];
  readonly code: string;
}

/** @returns the program of this id, in the form that tests use. */
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

/** @throws PtcError `OPTION_INVALID` if an id has no entry or a wrong one, or if no test runs an entry. */
export function checkPrograms(programs: ContractPrograms): void {
  for (const [id, does] of Object.entries(PROGRAMS)) {
    const entry: unknown = programs[id as ProgramId];
    if (entry === undefined) {
      throw invalid(
        `programs has no ${id}. Add a program that ${does}, or { absent: reason }.`,
        id,
      );
    }
    const wrong = wrongPart(entry);
    if (wrong !== undefined) throw invalid(`programs.${id}${wrong}`, id);
  }
  for (const id of Object.keys(programs)) {
    if (!Object.hasOwn(PROGRAMS, id)) {
      throw invalid(`programs has ${JSON.stringify(id)}, which no test runs. Remove it.`, id);
    }
  }
}

/** What is wrong with an entry, for a message that begins with its place. */
function wrongPart(entry: unknown): string | undefined {
  if (!isRecord(entry)) {
    return isCode(entry)
      ? undefined
      : ` must be ${CODE}, { code } or { absent: reason }, not ${showValue(entry)}.`;
  }
  const { absent, code } = entry;
  if (!('absent' in entry)) {
    return isCode(code) ? undefined : `.code must be ${CODE}, not ${showValue(code)}.`;
  }
  if (typeof absent === 'string' && absent.trim() !== '') return undefined;
  return `.absent must be the reason as text, not ${showValue(absent)}.`;
}

const CODE = 'a program as text or a list of such texts with at least one';

function isCode(code: unknown): boolean {
  const isList = Array.isArray(code) && code.length > 0;
  return (isList ? code : [code]).every((text) => typeof text === 'string');
}

function invalid(message: string, program: string): PtcError {
  return new PtcError('OPTION_INVALID', message, { details: { option: 'programs', program } });
}
