/** Where entries of the audit log go. */
export interface AuditSink {
  /** Takes an entry, in its order. Never throws and never waits; the entry must stay as it is until it is taken. */
  record(entry: AuditEntry): void;
  /**
   * Undefined if all entries so far have their place. If it gives a promise, the log is full: whoever makes entries
   * waits until it settles before making more. Never rejects. It does not wait for a file that cannot be written.
   */
  ready(): Promise<void> | undefined;
}

/** A file that tells what was run, and shows where it was changed. */
export interface AuditLog extends AuditSink, AsyncDisposable {
  /**
   * Writes what waits and a closing line, and lets go of the file. What cannot be written now is lost,
   * and `onError` hears how much. Never rejects.
   */
  close(): Promise<void>;
}

/** What a user's hook, and the log's reader, call a text: a program, or a call's arguments as JSON. */
export type AuditTextKind = 'code' | 'arguments';

/** What is recorded of an executor. Durations are milliseconds, sizes are bytes of UTF-8. */
export type AuditEntry =
  | SessionOpenedEntry
  | SessionClosedEntry
  | RunStartedEntry
  | RunEndedEntry
  | RunRefusedEntry
  | ToolCallEndedEntry
  | DenialEntry
  | ApprovalEntry;

/** A session took its first program or was acquired. */
export interface SessionOpenedEntry {
  readonly type: 'session-opened';
  readonly sessionId: string;
  /** The engine it runs on, such as `docker`. */
  readonly provider: string;
  /** How an earlier process left it; undefined where this process made its sandbox. */
  readonly resumed: 'idle' | 'interrupted' | undefined;
  readonly labels: AuditLabels;
}

export interface SessionClosedEntry {
  readonly type: 'session-closed';
  readonly sessionId: string;
  readonly reason: string;
}

export interface RunStartedEntry {
  readonly type: 'run-started';
  readonly sessionId: string;
  readonly executionId: string;
  /** What the program is written in, such as `python`. */
  readonly language: string;
  /** The program as it is run. */
  readonly code: string;
  readonly timeoutMs: number;
}

export interface RunEndedEntry {
  readonly type: 'run-ended';
  readonly sessionId: string;
  readonly executionId: string;
  readonly status: string;
  readonly durationMs: number;
  readonly toolCalls: number;
  /** What was kept of both output streams. */
  readonly outputBytes: number;
}

/** A program was not run, because of what was found in it before. */
export interface RunRefusedEntry {
  readonly type: 'run-refused';
  readonly sessionId: string;
  readonly language: string;
  /** The program as it would have been run. */
  readonly code: string;
  /** The type of what was found, such as `TypeCheckError`. */
  readonly error: string;
  readonly durationMs: number;
}

/** Which call it is, and by whom. */
export interface AuditedCall {
  /** Undefined for a call that the model made directly. */
  readonly sessionId?: string | undefined;
  /** Undefined for a call that the model made directly. */
  readonly executionId?: string | undefined;
  /** Of the conversation of a direct call. Those of a session are where it was opened. */
  readonly labels?: AuditLabels | undefined;
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
  /** Of the result as JSON text; 0 where the call failed. */
  readonly resultBytes: number;
}

/** A policy refused a call. */
export interface DenialEntry extends AuditedCall {
  readonly type: 'denial';
  readonly reason: string | undefined;
}

/** A call waits for somebody's approval, or waited. Its arguments are those after an edit. */
export interface ApprovalEntry extends AuditedCall {
  readonly type: 'approval';
  readonly decision: 'asked' | 'approved' | 'edited' | 'rejected' | 'expired' | 'cancelled';
  /** Why somebody was asked, or why it was not approved. */
  readonly reason: string | undefined;
}

export type AuditLabels = Readonly<Record<string, string>>;
