import type { CallLog } from '../../execution/calls/call-log.ts';
import type { ExecutionEvent } from '../../execution/execution.ts';
import type { Language } from '../../languages/language.ts';
import type { ProgramChecker } from '../../languages/program-checker.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import type { AuditSink } from '../../audit/entry.ts';
import type { PolicyGate } from '../../tools/policy/policy-gate.ts';
import type { ToolSet } from '../../tools/registry.ts';
import type { ResultChecks } from '../../tools/tool.ts';
import type { SessionLabels } from '../keys-and-labels.ts';
import type { ProgramPlace } from '../tenants/program-places.ts';

/** Options of a session. */
export interface SessionOptions {
  readonly id: string;
  readonly key: string | undefined;
  readonly labels: SessionLabels;
  /** The tenant for which its sandbox counts. */
  readonly tenant: Group;
  /** How long it lives without being used. */
  readonly timeoutMs: number;
  /** How long its first user waited for its sandbox. */
  readonly startMs: number;
  /** Gets entries about the session and its programs. */
  readonly audit?: AuditSink | undefined;
  /** Whether results of tools are checked. @default 'off' */
  readonly checkResults?: ResultChecks | undefined;
  /** Checks its programs before they run. @default they are not checked */
  readonly checker?: ProgramChecker | undefined;
}

/** Options of one program of a session. */
export interface SessionProgramOptions {
  readonly language: Language;
  readonly tools: ToolSet;
  readonly policy?: PolicyGate | undefined;
  /** What it needs in order to run. @default nothing */
  readonly place?: ProgramPlace | undefined;
  /** Replace the session's labels. @default the session's */
  readonly labels?: SessionLabels | undefined;
  /** The tenant that its labels name. */
  readonly tenant?: Group;
  readonly context: unknown;
  readonly runId: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly callLog?: CallLog | undefined;
  readonly onEvent?: ((event: ExecutionEvent) => unknown) | undefined;
}
