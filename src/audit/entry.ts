import type { Labels } from '../shared/labels.ts';

/** Accepts the entries of an audit log. */
export interface AuditSink {
  /**
   * Accepts an entry. Entries keep their order. Never throws and never waits. The entry must not
   * change until it is written.
   */
  record(entry: AuditEntry): void;
  /**
   * Undefined if there is room for more entries. Otherwise the log is full, and the caller must
   * wait until the promise settles before it makes more entries. Never rejects. Does not wait for a
   * file that cannot be written.
   */
  ready(): Promise<void> | undefined;
}

/** A file that records what happened and reveals changes to it. */
export interface AuditLog extends AuditSink, AsyncDisposable {
  /**
   * Writes the waiting entries and a closing line, and closes the file. Entries that cannot be
   * written now are lost, and `onError` is told how many. Never rejects.
   */
  close(): Promise<void>;
}

/** The kinds of texts in an audit log: a program, or the arguments of a call as JSON. */
export type AuditTextKind = 'code' | 'arguments';

/** An entry of an executor. Durations are milliseconds, sizes are bytes of UTF-8. */
export type AuditEntry =
  | SessionOpenedEntry
  | SessionClosedEntry
  | ProgramStartedEntry
  | ProgramEndedEntry
  | ProgramRefusedEntry
  | QuotaExceededEntry
  | ToolCallEndedEntry
  | ToolCallDeniedEntry
  | ToolCallDeferredEntry
  | ApprovalGrantedEntry
  | ApprovalRequestedEntry
  | ApprovalDecidedEntry;

/** A session was opened. */
export interface SessionOpenedEntry {
  readonly type: 'session-opened';
  readonly sessionId: string;
  /** The name of the provider, such as `docker`. */
  readonly provider: string;
  /** How an earlier process left it; undefined if this process created its sandbox. */
  readonly resumed: 'idle' | 'interrupted' | undefined;
  readonly labels: Labels;
}

export interface SessionClosedEntry {
  readonly type: 'session-closed';
  readonly sessionId: string;
  readonly reason: string;
}

export interface ProgramStartedEntry {
  readonly type: 'program-started';
  readonly sessionId: string;
  readonly programId: string;
  /** The run, as tools get it. */
  readonly runId: string;
  /** The program's language, such as `python`. */
  readonly language: string;
  /** The program as it runs. */
  readonly code: string;
  readonly timeoutMs: number;
}

export interface ProgramEndedEntry {
  readonly type: 'program-ended';
  readonly sessionId: string;
  readonly programId: string;
  /** The run, as tools get it. */
  readonly runId: string;
  readonly status: string;
  readonly durationMs: number;
  readonly toolCalls: number;
  /** The size of both output streams, as far as they were kept. */
  readonly outputBytes: number;
  /** The names of the files that it left for the caller, of which there are few. */
  readonly fileNames: readonly string[];
  /** The size of these files. */
  readonly fileBytes: number;
}

/** A program was not run because a check refused it. */
export interface ProgramRefusedEntry {
  readonly type: 'program-refused';
  readonly sessionId: string;
  readonly language: string;
  /** The program as it would have run. */
  readonly code: string;
  /** The type of the refusal, such as `TypeCheckError`. */
  readonly error: string;
  readonly durationMs: number;
}

/** A tenant was refused a program or a sandbox, because it reached a quota. */
export interface QuotaExceededEntry {
  readonly type: 'quota-exceeded';
  /** The name of the label whose values are the tenants. */
  readonly label: string;
  /** Undefined for those without the label. */
  readonly tenant: string | undefined;
  /** The name of the quota, such as `programsPerMinute`. */
  readonly quota: string;
  readonly limit: number;
  /** Undefined if the program had no open session, and for a sandbox. */
  readonly sessionId: string | undefined;
}

/** A tool call and its origin. */
export interface AuditedCall {
  /** Undefined for a call that the model made directly. */
  readonly sessionId?: string | undefined;
  /** Undefined for a call that the model made directly. */
  readonly programId?: string | undefined;
  /** The run of the program, as tools get it. Undefined for a call that the model made directly. */
  readonly runId?: string | undefined;
  /** The line of the program, as the program says. Undefined if it is not known. */
  readonly line?: number | undefined;
  /**
   * The labels of the conversation of a direct call. The labels of a session are in the entry of
   * its opening.
   */
  readonly labels?: Labels | undefined;
  readonly callId: string;
  readonly toolName: string;
  readonly caller: 'code' | 'direct';
  readonly arguments: unknown;
}

export interface ToolCallEndedEntry extends AuditedCall {
  readonly type: 'tool-call-ended';
  /** `ok`, or the type of the failure, such as `Timeout`. */
  readonly outcome: string;
  readonly durationMs: number;
  /** The size of the result as JSON text; 0 if the call failed. */
  readonly resultBytes: number;
}

/**
 * A policy denied a call, the call exceeded a limit of its tool, or it needs approval that nobody can
 * give.
 */
export interface ToolCallDeniedEntry extends AuditedCall {
  readonly type: 'tool-call-denied';
  /** The reason of the rule, what was counted, or why nobody can approve it. */
  readonly reason: string | undefined;
  /** The limit, such as `maxCalls.run`; undefined if it exceeds none. */
  readonly limit?: string | undefined;
}

/**
 * A call got a receipt, and waits for the end of its program. `tool-call-ended` follows in any case.
 */
export interface ToolCallDeferredEntry extends AuditedCall {
  readonly type: 'tool-call-deferred';
  /** Why the approver will be asked. */
  readonly reason: string | undefined;
  /** The number of the receipt. */
  readonly number: number;
}

/** A call waits for an approver. */
export interface ApprovalRequestedEntry extends AuditedCall {
  readonly type: 'approval-requested';
  /** The reason of the rule that asks. */
  readonly reason: string | undefined;
}

/** The approver has decided, or nothing waits for the decision any more. */
export interface ApprovalDecidedEntry extends AuditedCall {
  readonly type: 'approval-decided';
  /** After `edited`, the arguments are those that the approver gave. */
  readonly decision: 'approved' | 'edited' | 'rejected' | 'expired' | 'cancelled';
  /** The reason of the rule that asked, or why the call was not approved. */
  readonly reason: string | undefined;
  /** The grant that the approver gave with it. */
  readonly grantId: string | undefined;
}

/** A rule asks about a call, and a grant covers it: no approver was asked. */
export interface ApprovalGrantedEntry extends AuditedCall {
  readonly type: 'approval-granted';
  /** The reason of the rule that asks. */
  readonly reason: string | undefined;
  readonly grantId: string | undefined;
}
