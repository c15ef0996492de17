import type { compileProgram } from './program.mjs';

/** What a guest needs of the place where it runs: a process of Node, or a worker of Deno. */
export interface Platform {
  /** Sends a line to the supervisor. */
  send: (line: string) => void;
  /**
   * Runs the program's own code and what it has put off (jobs of promises). False if it was interrupted. Throws what
   * the code throws.
   */
  enter: (callback: () => void) => boolean;
  /** Runs a script in the global scope. */
  evaluate: (text: string, filename: string, columnOffset: number) => unknown;
  /**
   * Says whether a line of the supervisor's has to come before anything can go on. If not, and nothing else is under
   * way, the platform calls `onIdle`.
   */
  awaitLine: (isAwaited: boolean) => void;
  /** Is called when the program's statements are done. */
  onStatementsDone: () => void;
  /** Whether the program wants to be told that nothing is left to do, or that it ends. */
  isListening: () => boolean;
  /** Tells the program that nothing is left to do, if it wants to know. False if not. */
  tellIdle: () => boolean;
  /** Calls back once no operation on files is under way. */
  afterFiles: (callback: () => void) => void;
  inspect: (value: unknown) => string;
  /** Writes to the program's standard error. */
  warn: (text: string) => void;
  /** Gives an error that nobody caught to the program, if it wants that. */
  offer: (error: unknown) => boolean;
  /** Tells the program that it ends, if it wants to know. */
  tellExit: (code: number) => void;
  /** What the program wants to end with, when it comes to its end. */
  exitStatus: () => number;
  /** Ends what the program left behind, and says what that was. */
  release: () => string[];
  /** Gives a program its streams, whatever the one before did to them. */
  prepare: () => void;
  compileProgram: typeof compileProgram;
}
