import type { ExecutionResult } from '../execution/execution.ts';
import type { LanguageName } from '../protocol/messages.ts';
import type { AuditLog } from '../telemetry/audit-entry.ts';
import type { PolicyOptions } from '../tools/policy-gate.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { RunArgument } from '../tools/tool.ts';
import type { AcquireOptions, ExecuteOptions, SessionExecuteOptions } from './executor-options.ts';
import type { SessionCloseReason, SessionInfo } from './session-info.ts';

/**
 * Runs programs in sandboxes, for any number of conversations. `SandboxExecutor` does it on this machine.
 * @typeParam Context - What its tools have to be given with a run; `Executor` without it is any.
 */
export interface Executor<Context = never> extends AsyncDisposable {
  /** The tools of sessions and runs that name none. */
  readonly tools: ToolRegistry<Context>;
  /** The policy of runs that name none. */
  readonly policy: PolicyOptions | undefined;
  /** What is told of sessions, runs and calls. */
  readonly audit: AuditLog | undefined;
  /** What programs may be written in; the first is that of a run that names none. */
  readonly languages: readonly LanguageName[];
  /**
   * Runs one program: acquires a session, runs it there and releases the session. Without a key, the sandbox is gone
   * when this returns. What goes wrong in the code is in the result; only faults of the host are thrown.
   * @throws PtcError as `acquire` and `Session.execute`.
   */
  execute(code: string, ...options: RunArgument<ExecuteOptions, Context>): Promise<ExecutionResult>;
  /**
   * Gives a session. With a key, such as a user's or a conversation's: the one that the key has, with its state, or a
   * new one. Without a key: a new one, which nobody else can have.
   * @throws PtcError `SESSION_HELD` if another process or executor has the key's session for longer than `waitMs`,
   * `PERSISTENCE_UNSUPPORTED`, `SANDBOX_LOST` if a persistent one could not be taken over, `SANDBOX_UNAVAILABLE`,
   * `SANDBOX_LIMIT`, `SANDBOX_START_FAILED`, `IMAGE_UNAVAILABLE`, `CLOSED`, `OPTION_INVALID`, or `ABORTED` if the
   * signal fires before the session is there.
   */
  acquire<Own = Context>(options?: AcquireOptions<Own>): Promise<Session<Own>>;
  /**
   * What is known of the session of a key, whoever opened it, its sandbox's memory included. It is not used by that: it
   * expires as if nobody had asked.
   * @returns Undefined if the key has none here: none was opened, it has ended, or another process or executor has it.
   */
  inspectSessionOf(key: string): Promise<SessionInfo | undefined>;
  /** Ends a session, a program under way included, and returns when its sandbox is gone; false if there is none of this id. */
  closeSession(id: string): Promise<boolean>;
  /**
   * Ends the session of a key, whoever opened it, a program under way included, and returns when its sandbox is gone. If the
   * key has no session, nothing is done.
   * @param options - `persistent`: also ends the sandbox that an earlier process left, as `acquire` takes it over.
   * @throws PtcError `SESSION_HELD` if another process or executor has it: nothing has changed then. `SANDBOX_LOST` if a
   * persistent one could not be reached, `CLOSED`, `OPTION_INVALID`.
   */
  closeSessionOf(key: string, options?: { readonly persistent?: boolean }): Promise<void>;
  /** The name of the sandbox that is used, such as `docker`. @throws PtcError `SANDBOX_UNAVAILABLE`. */
  sandboxName(): Promise<string>;
  /** Ends everything, programs under way included. The executor cannot be used again. */
  close(): Promise<void>;
}

/**
 * The use of a session: one sandbox with its interpreters, whose variables and files stay from program to program. While
 * somebody uses it, it is not evicted; it expires when no program ran in it and nobody acquired it for
 * `sessionTimeoutMs`. All who acquire one key share its session, each with a `Session` of their own.
 * @typeParam Context - What its tools have to be given with a run; `Session` without it is any.
 */
export interface Session<Context = never> extends AsyncDisposable {
  readonly id: string;
  /** What it was acquired by; undefined if it has none. */
  readonly key: string | undefined;
  /** What was known of it when it was acquired, without the memory. */
  readonly acquired: SessionInfo;
  /**
   * Names the sandbox that the session has now: if it is another one, the variables and files of earlier programs are gone.
   * A persistent sandbox keeps it from process to process.
   */
  readonly stateId: string;
  /** Whether no program had run in it by then: no variables or files of an earlier one are there. */
  readonly isNew: boolean;
  /** Settles with the reason when the sandbox that the session has now begins to close, whoever closes it. One promise a sandbox. */
  readonly closing: Promise<SessionCloseReason>;
  /**
   * Runs code after the programs that wait already. What goes wrong in the code is in the result.
   * @throws PtcError `CLOSED` after `release` or `destroy`, `SESSION_EXPIRED` or `SESSION_NOT_FOUND` if the session is
   * gone, with the reason, `OPTION_INVALID`, or `ABORTED` if the signal fires before the code starts.
   */
  execute(
    code: string,
    ...options: RunArgument<SessionExecuteOptions, Context>
  ): Promise<ExecutionResult>;
  /** What is known of the session, its sandbox's memory included. @throws PtcError as `execute`. */
  info(): Promise<SessionInfo>;
  /**
   * Gives the session a fresh sandbox under the same id; the state is gone, a program under way is cancelled.
   * @throws PtcError as `execute`, and as `Executor.acquire`.
   */
  reset(): Promise<void>;
  /**
   * Ends this use. The session of a key stays with its state, for whoever acquires the key, until it expires; one
   * without a key ends. May be called again.
   */
  release(): Promise<void>;
  /**
   * Ends the session, a program under way included, and returns when its sandbox is gone.
   * @throws PtcError `CLOSED` after `release` or `destroy`.
   */
  destroy(): Promise<void>;
}
