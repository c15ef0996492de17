import type { LanguageName } from '../protocol/messages.ts';
import type { AuditSink } from '../telemetry/audit-entry.ts';
import type { PolicyGate } from '../tools/policy-gate.ts';
import type { CallOrigin } from '../tools/tool.ts';
import type { CallLog } from './call-log.ts';
import type { ExecutionEvent } from './execution.ts';
import type { ToolLookup } from './invoke-tool.ts';
import type { RunBudgets } from './run-budgets.ts';

export interface InterpreterOptions {
  readonly outputLimitBytes: number;
  readonly showLastValue: boolean;
  readonly budgets: RunBudgets;
  /** How long the runner may take to be ready. */
  readonly startTimeoutMs: number;
  /** Whether its provider has asked it to attach, as for a sandbox that may outlive its host. @default false */
  readonly attachAsked?: boolean;
}

export interface ExecuteRequest {
  /** The session that it is run for. */
  readonly origin: CallOrigin & { readonly sessionId: string };
  readonly language: LanguageName;
  readonly code: string;
  readonly tools: ToolLookup;
  /** What its tool calls have to pass. @default nothing */
  readonly policy?: PolicyGate | undefined;
  /** Is told of the run and its calls. @default nothing is */
  readonly audit?: AuditSink | undefined;
  /** Writes its calls down. @default nothing does */
  readonly callLog?: CallLog | undefined;
  /** Does not count while calls wait for an approval. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: ExecutionEvent) => void) | undefined;
}
