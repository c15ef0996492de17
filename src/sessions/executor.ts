import type { ExecutionResult } from '../execution/execution.ts';
import type { HeldProgram } from '../execution/held/held-program.ts';
import type { LanguageName } from '../protocol/messages.ts';
import type { AuditLog } from '../audit/entry.ts';
import type { ResourceLimits } from '../sandbox/sandbox.ts';
import type { SandboxSoftware } from '../sandbox/software/software.ts';
import { PtcError } from '../shared/errors.ts';
import { hasMethod } from '../shared/guards.ts';
import type { SessionFiles } from '../tools/session-files.ts';
import type { PolicyOptions } from '../tools/policy/policy-gate.ts';
import type { ToolSet } from '../tools/registry/tool-set.ts';
import type { CheckLevel, OptionsArgument } from '../tools/tool.ts';
import type {
  AcquireOptions,
  ExecuteOptions,
  SessionExecuteOptions,
} from './options/executor-options.ts';
import type { SessionCloseReason, SessionInfo } from './session/session-info.ts';

/** Names a session by its id or by its key. */
export type SessionName =
  | { readonly id: string; readonly key?: undefined }
  | { readonly key: string; readonly id?: undefined };

/** Names a session that is to end. */
export type SessionToClose =
  | { readonly id: string; readonly key?: undefined; readonly persistent?: undefined }
  | {
      readonly key: string;
      readonly id?: undefined;
      /** Whether a sandbox ends too that an earlier process left for the key. @default false */
      readonly persistent?: boolean;
    };

/**
 * Runs programs in sandboxes, for any number of conversations. `SandboxExecutor` does so on this
 * machine; an executor of your own may do so on another one. Conversations and code tools read its
 * properties: for what they tell the model, and for calls that the model makes directly, which run
 * where the conversation is and not in the executor.
 * @typeParam Context - The type of the `context` that its tools need. `Executor` without it stands
 * for any executor.
 */
export interface Executor<Context = never> extends AsyncDisposable {
  /** The tools of sessions and programs that name none. */
  readonly tools: ToolSet<Context>;
  /**
   * The policy of programs that name none, and of direct calls in conversations that have none.
   * Undefined if all calls are allowed, or if only another machine knows the policy.
   */
  readonly policy: PolicyOptions | undefined;
  /**
   * The label whose values are the tenants, who have their turns one after another. If it is
   * undefined, requests are served first come, first served. Direct calls have the tenant that it
   * names too (`ToolContext.tenant`).
   */
  readonly fairBy: string | undefined;
  /**
   * The audit log, which gets entries about sessions, programs and calls, and about direct calls of
   * conversations that have none. Undefined if there is none, or if it is on another machine.
   */
  readonly audit: AuditLog | undefined;
  /** Whether results of tools, also those of direct calls, are checked against their output schemas. */
  readonly checkResults: CheckLevel;
  /**
   * The languages that programs may be written in. The first is used if none is named. The model is
   * told of them.
   */
  readonly languages: readonly LanguageName[];
  /** The limits of each sandbox. The model is told of them. */
  readonly limits: ResourceLimits;
  /**
   * How many tool calls of a program are handled at a time. Hints to the model depend on it.
   * @default 16
   */
  readonly concurrentToolCalls?: number;
  /** The time limit of programs that name none, in milliseconds. The model is told of it. */
  readonly programTimeoutMs: number;
  /**
   * The interpreters and libraries of the sandboxes. The model is told of them. Undefined if they
   * are not known, or not yet.
   */
  readonly software?: SandboxSoftware | undefined;
  /**
   * Finds out `software`, which may start a sandbox. A conversation calls this before its first
   * run, and waits for it for two seconds. Absent if `software` does not change.
   * @throws PtcError what `acquire` throws. The conversation then goes on without.
   */
  findSoftware?(): Promise<void>;
  /**
   * Runs one program: acquires a session, runs the program in it, and releases the session. Without
   * a key, the sandbox is gone when this returns. If the program fails, the result says so. Only
   * failures of the host are thrown.
   * @throws PtcError what `acquire` and `Session.execute` throw.
   */
  execute(
    code: string,
    ...options: OptionsArgument<ExecuteOptions, Context>
  ): Promise<ExecutionResult>;
  /**
   * Returns a session. With a key, it is the session of this key with its variables, or a new one.
   * Without a key, it is a new session that nobody else can acquire.
   * @throws PtcError `SESSION_HELD` if another process or executor uses the key's session for longer
   * than `sessionWaitMs`, or has it and does not answer for 3 s, `PERSISTENCE_UNSUPPORTED`, `SANDBOX_LOST` if a persistent session could not be
   * taken over, `SANDBOX_UNAVAILABLE`, `SANDBOX_LIMIT`, `QUOTA_EXCEEDED`, `SANDBOX_START_FAILED`,
   * `IMAGE_UNAVAILABLE`, `CLOSED`, `OPTION_INVALID`, or `ABORTED` if the signal fires before the
   * session is open.
   */
  acquire<Own = Context>(options?: AcquireOptions<Own>): Promise<Session<Own>>;
  /**
   * Information about a session, including the memory of its sandbox, no matter which caller opened
   * it. This is not a use of the session: it does not delay its expiry.
   * @returns undefined if there is no such session here: none was opened, it has ended, or another
   * process or executor has it.
   * @throws PtcError `OPTION_INVALID`
   */
  sessionInfo(session: SessionName): Promise<SessionInfo | undefined>;
  /**
   * Ends a session, no matter which caller opened it, and its program if one is running. Resolves
   * when its sandbox is gone. Does nothing if there is no such session.
   * @throws PtcError `SESSION_HELD` if another process or executor uses the session of the key, which
   * then stays as it is; `SANDBOX_LOST` if a persistent sandbox could not be reached; `CLOSED`;
   * `OPTION_INVALID`.
   */
  closeSession(session: SessionToClose): Promise<void>;
  /** The name of the provider, such as `docker`. @throws PtcError `SANDBOX_UNAVAILABLE`. */
  providerName(): Promise<string>;
  /** Ends all sessions and their programs. The executor cannot be used again. */
  close(): Promise<void>;
}

/**
 * One use of a session, which is a sandbox with interpreters whose variables and files stay from
 * program to program. A session in use is not evicted or handed over to another process. It expires if no program ran in it and
 * nobody acquired it for `sessionIdleTimeoutMs`. All callers that acquire the same key share its session,
 * each with its own `Session` object.
 * @typeParam Context - The type of the `context` that its tools need. `Session` without it stands
 * for any session.
 */
export interface Session<Context = never> extends AsyncDisposable {
  readonly id: string;
  /** The key with which it was acquired; undefined if it has none. */
  readonly key: string | undefined;
  /** Information about the session at the moment it was acquired, without the memory. */
  readonly acquired: SessionInfo;
  /**
   * Identifies the sandbox that the session has now. If it changes, the variables and files of
   * earlier programs are gone. A persistent sandbox has the same id in each process.
   */
  readonly stateId: string;
  /**
   * Whether no program had run in the session when it was acquired, so that it has no variables or
   * files.
   */
  readonly isNew: boolean;
  /**
   * Resolves with the reason when the session's current sandbox begins to close, for any reason.
   * Each sandbox has its own promise.
   */
  readonly closing: Promise<SessionCloseReason>;
  /**
   * The files of its sandbox. They are those of earlier programs as long as `stateId` is the same.
   * Each use restarts the idle timeout of the session.
   */
  readonly files: SessionFiles;
  /**
   * Runs a program after those that already wait. If the program fails, the result says so.
   * @throws PtcError `CLOSED` after `release` or `destroy`; `SESSION_EXPIRED` or
   * `SESSION_NOT_FOUND` if the session has ended, with the reason; `QUOTA_EXCEEDED` if its tenant
   * began too many programs in the last minute; `OPTION_INVALID`; or `ABORTED` if the signal fires
   * before the program starts.
   */
  execute(
    code: string,
    ...options: OptionsArgument<SessionExecuteOptions, Context>
  ): Promise<ExecutionResult>;
  /**
   * Starts a program after those that already wait, and returns it when it has begun, so that the
   * caller can look at it, answer the calls of its remote tools and stop it. `execute` is this and
   * waiting for the end, without remote tools.
   * @throws PtcError what `execute` throws.
   */
  start(
    code: string,
    ...options: OptionsArgument<SessionExecuteOptions, Context>
  ): Promise<HeldProgram>;
  /**
   * Information about the session, including the memory of its sandbox.
   * @throws PtcError what `execute` throws.
   */
  info(): Promise<SessionInfo>;
  /**
   * Replaces the sandbox by a new one. The session keeps its id and loses its variables. A running
   * program is cancelled.
   * @throws PtcError what `execute` and `Executor.acquire` throw.
   */
  reset(): Promise<void>;
  /**
   * Ends this use. The session of a key keeps its variables for the next caller that acquires the
   * key, until it expires or another process asks for the key. A session without a key ends. Can be
   * called more than once.
   */
  release(): Promise<void>;
  /**
   * Ends the session, and its program if one is running. Resolves when its sandbox is gone.
   * @throws PtcError `CLOSED` after `release` or `destroy`.
   */
  destroy(): Promise<void>;
}

/** Whether a value is an executor, and not the options of one. */
export function isExecutor(value: unknown): value is Executor {
  return hasMethod(value, 'acquire');
}

/** @throws PtcError `OPTION_INVALID` for an option `executor` that is not an executor. */
export function checkExecutor(executor: unknown): void {
  if (isExecutor(executor)) return;
  throw new PtcError(
    'OPTION_INVALID',
    'executor is missing. Set it to where programs run: new SandboxExecutor({ tools }).',
    { details: { option: 'executor' } },
  );
}
