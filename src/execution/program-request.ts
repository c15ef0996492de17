import type { AuditSink } from '../audit/entry.ts';
import type { CallLog } from '../calls/call-log.ts';
import type { ToolLookup } from '../calls/invoke-tool.ts';
import type { LanguageName } from '../protocol/messages.ts';
import type { PolicyGate } from '../tools/policy/policy-gate.ts';
import type { SessionFiles } from '../tools/session-files.ts';
import type { CallOrigin, CheckLevel } from '../tools/tool.ts';
import type { ExecutionEvent } from './execution.ts';
import type { KeptResults } from './kept-results.ts';

/** A program to run on a connection, with everything that it needs. */
export interface ProgramRequest {
  /** The session of the program. */
  readonly origin: CallOrigin & { readonly sessionId: string };
  /** Whether the run of the program ends with it. */
  readonly endsRun: boolean;
  /** Fires when the session closes. @default it is not told */
  readonly sessionClosed?: AbortSignal | undefined;
  /** Whether the session is closing together with its sandbox. @default it is not told */
  readonly sessionEnds?: (() => boolean) | undefined;
  /** The files of the session, for tools. @default none */
  readonly files?: SessionFiles | undefined;
  readonly language: LanguageName;
  readonly code: string;
  /** What the model wrote before the program, for approvers. @default nothing is known of it */
  readonly purpose?: string | undefined;
  readonly tools: ToolLookup;
  /** Decides which of the tool calls run. @default all do */
  readonly policy?: PolicyGate | undefined;
  /** Gets the entries of the program and its calls. @default none are made */
  readonly audit?: AuditSink | undefined;
  /** Records the tool calls. @default they are not recorded */
  readonly callLog?: CallLog | undefined;
  /** Whether results of tools are checked. @default 'off' */
  readonly checkResults?: CheckLevel | undefined;
  /** Keeps the last results of its calls. @default none are kept */
  readonly results?: KeptResults | undefined;
  /** Whether its caller answers the calls of remote tools, and is told when it waits. @default false */
  readonly held?: boolean | undefined;
  /** Whether its caller is told when it calls `report`. @default false */
  readonly tellsReports?: boolean | undefined;
  /** Time during which calls wait for approval or for a remote answer does not count. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: ExecutionEvent) => unknown) | undefined;
}
