import type { CallLog } from '../execution/call-log.ts';
import type { ExecutionEvent } from '../execution/execution.ts';
import type { Language } from '../languages/language.ts';
import type { ProgramChecker } from '../languages/program-checker.ts';
import type { AuditSink } from '../telemetry/audit-entry.ts';
import type { PolicyGate } from '../tools/policy-gate.ts';
import type { ToolSet } from '../tools/registry.ts';
import type { SessionLabels } from './executor-options.ts';

/** What a session is opened with. */
export interface SessionOptions {
  readonly id: string;
  readonly key: string | undefined;
  readonly labels: SessionLabels;
  /** How long it lives unused. */
  readonly timeoutMs: number;
  /** How long its first user waited for its sandbox. */
  readonly startMs: number;
  /** Whether the sandbox stood ready in the pool. */
  readonly fromPool: boolean;
  /** Is told of it and of its runs. */
  readonly audit?: AuditSink | undefined;
  /** Looks at its programs before they run. @default nothing does */
  readonly checker?: ProgramChecker | undefined;
}

/** What one of its programs is run with. */
export interface SessionRunOptions {
  readonly language: Language;
  readonly tools: ToolSet;
  readonly policy?: PolicyGate | undefined;
  /** Over those of the session. @default none */
  readonly labels?: SessionLabels | undefined;
  readonly context: unknown;
  readonly runId: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly callLog?: CallLog | undefined;
  readonly onEvent?: ((event: ExecutionEvent) => void) | undefined;
}
