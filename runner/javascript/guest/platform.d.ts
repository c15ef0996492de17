import type { compileProgram } from '../compile/program.mjs';
import type { WaitTeller } from './messages/wait-teller.mjs';

/** What is needed to find out that a program waits for tool calls. */
export interface WaitingPlatform {
  /** Sends a line to the supervisor. */
  send: (line: string) => void;
  /** Has `WaitTeller.tell` called as soon as all jobs of promises are done. */
  afterJobs: () => void;
  /**
   * Whether nothing but tool calls and timers can continue the program. False if that is not known,
   * and undefined if something else is certain to continue it.
   */
  waits: () => boolean | undefined;
}

/** What a guest needs from its platform: a process of Node, or a worker of Deno. */
export interface Platform {
  /** Sends a line to the supervisor. */
  send: (line: string) => void;
  /**
   * Runs code of the program, and the jobs of promises that it has queued. False if it was
   * interrupted. Throws the errors of the code.
   */
  enter: (callback: () => void) => boolean;
  /** Runs a script in the global scope. */
  evaluate: (text: string, filename: string, columnOffset: number) => unknown;
  /**
   * Sets whether the program can continue only after a line of the supervisor. If not, and nothing
   * else is in progress, the platform calls `onIdle`.
   */
  awaitLine: (isAwaited: boolean) => void;
  waitTeller: WaitTeller;
  /** Called when the program's statements are done. */
  onStatementsDone: () => void;
  /** Whether the program listens for `beforeExit` or `exit`. */
  isListening: () => boolean;
  /** Calls the listeners for `beforeExit`. False if there are none. */
  tellIdle: () => boolean;
  /** Calls back when nothing that an ended program started goes on. */
  afterLeftWork: (callback: () => void) => void;
  inspect: (value: unknown) => string;
  /** Absent if programs have no files. */
  readFile?: (path: string) => Uint8Array;
  /** Writes to the program's standard error. */
  warn: (text: string) => void;
  /**
   * Passes an uncaught error to the program's listeners. False if there are none. Listeners for rejections get it only if the promise
   * is given that it rejected.
   */
  offer: (error: unknown, origin?: string, promise?: Promise<unknown>) => boolean;
  /** Sets the exit status unless it is 0, and calls the program's listeners for `exit`, which may set another one. */
  tellExit: (code: number) => void;
  /** Returns the exit status, and resets it. */
  exitStatus: () => number;
  /**
   * Ends what the program left, and adds names of it to `left`. It can be interrupted, and is called
   * again then.
   */
  release: (left: string[]) => void;
  /** Runs code that an interrupt must not cut off. */
  uninterrupted: (callback: () => void) => void;
  /** Sets the streams for the next program, because the last one may have changed them. */
  prepare: () => void;
  compileProgram: typeof compileProgram;
}
