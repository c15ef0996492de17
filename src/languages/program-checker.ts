import type { LanguageName } from '../protocol/messages.ts';
import type { Tool } from '../tools/tool.ts';

/** What is wrong with a program that is not to be run. */
export interface ProgramRefusal {
  readonly type: string;
  /** The first problem, in one line. */
  readonly message: string;
  /** The first problem's line in the program, from 1. */
  readonly line: number;
  /** All that there is to tell, for the one who wrote the program. */
  readonly report: string;
}

/** Looks at programs before they run. Shared by sessions. */
export interface ProgramChecker {
  /**
   * Follows the programs of one session.
   * @param resumed - Whether there were programs before that it has not seen.
   */
  follow(resumed: boolean): SessionChecker;
  /** Returns when checks take no longer than usual. Never throws. */
  warmUp(): Promise<void>;
  close(): Promise<void>;
}

/** What the programs of one session have declared; gone with the session that holds it. */
export interface SessionChecker {
  /**
   * Says why a program must not run; undefined where it may. One that may is known to later ones.
   * Never throws: a program that could not be checked may run.
   */
  check(
    language: LanguageName,
    code: string,
    tools: readonly Tool[],
  ): Promise<ProgramRefusal | undefined>;
  /** The program that was allowed last did not come to its end: not all that it declares has its value. */
  lastFailed(): void;
}
