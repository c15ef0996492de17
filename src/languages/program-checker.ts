import type { LanguageName } from '../protocol/messages.ts';
import type { Tool } from '../tools/tool.ts';

/** Why a program must not run. */
export interface ProgramRefusal {
  readonly type: string;
  /** The first problem, in one line. */
  readonly message: string;
  /** The line of the first problem in the program, from 1. */
  readonly line: number;
  /** The full report, for the author of the program, which was not run. */
  readonly report: string;
  /** The same for the author of a program that ran nevertheless. */
  readonly advice: string;
}

/** A program that is checked. */
export interface CheckedProgram {
  readonly language: LanguageName;
  readonly code: string;
  readonly tools: readonly Tool[];
  /** Gets the version of the interpreter that runs it. Never throws. @default it is unknown */
  readonly interpreterVersion?: () => Promise<string | undefined>;
  /** If it fires before the check begins, the program is not checked. @default it never fires */
  readonly signal?: AbortSignal;
}

/** Checks programs before they run. Sessions share it. */
export interface ProgramChecker {
  /**
   * Checks the programs of one session.
   * @param resumed - Whether the session ran programs before that the checker has not seen.
   * @param tenant - Tenants whose programs wait for checks have their turns one after another.
   */
  follow(resumed: boolean, tenant?: string): SessionChecker;
  /** Resolves when checks take no longer than usual. Never throws. */
  warmUp(): Promise<void>;
  close(): Promise<void>;
}

/** The checker of one session. It knows what the session's earlier programs declared. */
export interface SessionChecker {
  /** Whether programs run whatever it finds. */
  readonly onlyWarns: boolean;
  /**
   * Returns why a program must not run; undefined if it may. The declarations of a program that may
   * run are known to later checks. Never throws: a program that could not be checked may run.
   */
  check(program: CheckedProgram): Promise<ProgramRefusal | undefined>;
  /** Call this if the last allowed program failed: some of what it declares may have no value. */
  lastFailed(): void;
}
