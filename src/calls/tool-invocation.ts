import type { Permit } from '../shared/async/semaphore.ts';
import type { CallLimits } from '../protocol/frames.ts';
import type { CallDecision, CallGate } from '../tools/policy/call-gate.ts';
import type { CallOrigin, CheckLevel, ToolCaller, ToolProgress } from '../tools/tool.ts';
import type { SessionFiles } from '../tools/session-files.ts';
import type { CallLog } from './call-log.ts';
import type { Deferrals } from './deferred/deferrals.ts';
import type { CallCounter } from './limits/call-counter.ts';
import type { OpenCalls } from './open-calls.ts';

/** A call of a remote tool, whose answer comes from outside this process. */
export interface RemoteCall {
  readonly callId: string;
  readonly toolName: string;
  /** What the tool's function would get, as JSON text: it may wait for long. */
  readonly argumentsText: string;
  /** How long it may wait, in milliseconds. */
  readonly timeoutMs: number;
}

/** Asks for the answers to calls of remote tools. */
export interface RemoteAnswers {
  /**
   * Waits for the answer, which is the result as JSON text.
   * @throws ToolCallFailure if the answer is that the tool failed.
   */
  ask(call: RemoteCall): Promise<string>;
  /** Nothing waits for the answer any more. */
  close(callId: string): void;
}

/** A tool call that is being handled, and what it waits for. */
export interface ToolInvocation {
  readonly toolName: string;
  /** Read each time they are needed. */
  readonly arguments: unknown;
  readonly caller: ToolCaller;
  readonly callId: string;
  /** The line of the program that made the call, as the program says. @default not known */
  readonly line?: number | undefined;
  readonly origin: CallOrigin;
  /** Counts the call toward the limits of its tool. */
  readonly counter: CallCounter;
  /** The files of the session of the program. @default none */
  readonly files?: SessionFiles | undefined;
  /**
   * Limits of arguments that the model or an approver sends. Those of a program were checked before.
   * @default `DEFAULT_CALL_LIMITS`
   */
  readonly limits?: CallLimits;
  /** Fires when nothing waits for the result any more. */
  readonly signal: AbortSignal;
  /** Tells the call that its program gave it up. @default it is never told */
  readonly openCalls?: OpenCalls | undefined;
  /**
   * The call's permit to be handled, which it already has. It is released while people decide,
   * and when the call begins to wait for a remote answer.
   * @default none
   */
  readonly permit?: Permit | undefined;
  /**
   * Keeps the arguments, and drops their parsed form while the call waits for the approver to have
   * room.
   * @default nothing does
   */
  readonly storage?: {
    /** The size of the arguments as they were sent. */
    readonly sizeBytes: number;
    pack(): void;
    unpack(): Promise<void> | undefined;
  };
  /**
   * What the call waits for before the tool runs, such as room in the audit log.
   * @default nothing
   */
  readonly ready?: (() => Promise<unknown> | undefined) | undefined;
  /** Asks for the answers to calls of remote tools. @default nobody answers, so the call fails */
  readonly remote?: RemoteAnswers | undefined;
  /** Records the call before its tool runs, and its outcome. @default nothing does */
  readonly log?: CallLog | undefined;
  /** Called as soon as it is known whether the call runs. @default nothing is */
  readonly onAdmitted?: (() => void) | undefined;
  /** Decides whether the call runs, after its tool's schema has accepted it. @default it runs */
  readonly policy?: CallGate | undefined;
  /**
   * Counts the calls that are deferred: those about which the approver must be asked, if their tool
   * says so. @default none is deferred
   */
  readonly deferrals?: Deferrals | undefined;
  /** Called with the processor time of validating the arguments, in milliseconds. */
  readonly onValidated?: ((durationMs: number) => void) | undefined;
  /**
   * Whether the result is checked against the tool's output schema. Read when the tool has returned.
   * @default 'off'
   */
  readonly checkResults?: CheckLevel | undefined;
  /** Called with the processor time of checking the result, in milliseconds. */
  readonly onResultChecked?: ((durationMs: number) => void) | undefined;
  /**
   * Called with the policy's decisions, except for calls that it allows at once. Must not throw.
   */
  readonly onDecision?: ((decision: CallDecision) => void) | undefined;
  /** Called with how far the call is, a few times a second at most. Must not throw. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}
