import type { PtcError } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json.ts';
import type {
  CallGivenUpMessage,
  HostMessage,
  OutcomeMessage,
  OutputChunkMessage,
  ToolCallMessage,
  ValueMessage,
} from '../protocol/messages.ts';
import type { CallDecision, CallGate } from '../tools/policy-gate.ts';
import type { CallOrigin } from '../tools/tool.ts';
import type { CallLog } from './call-log.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { ExecutionEvent } from './execution.ts';
import type { ToolLookup } from './invoke-tool.ts';
import type { RunBudgets, StopCause } from './run-budgets.ts';

/** What a runner says of a run. */
export type RunMessage =
  | ToolCallMessage
  | CallGivenUpMessage
  | OutputChunkMessage
  | ValueMessage
  | OutcomeMessage;

/** How a run ended, in the runner's word where it could still give it. */
export interface RunEnd {
  readonly outcome: OutcomeMessage | undefined;
  /** What the program handed back. */
  readonly value: JsonValue | undefined;
  /** Set where the host stopped the run. */
  readonly stopCause: StopCause | undefined;
  /** Set where the sandbox was lost under the run. */
  readonly lost: Error | undefined;
}

export interface RunOptions {
  readonly executionId: string;
  readonly origin: CallOrigin;
  readonly tools: ToolLookup;
  readonly policy: CallGate | undefined;
  /** Hears what the policy decides of its calls. */
  readonly onDecision: (decision: CallDecision) => void;
  readonly audit: AuditTrail | undefined;
  readonly callLog: CallLog | undefined;
  readonly outputLimitBytes: number;
  readonly budgets: RunBudgets;
  readonly send: (message: HostMessage) => void;
  /** Has it stopped because it passed a budget. */
  readonly onExcess: (cause: StopCause) => void;
  /** Ends its sandbox, because the host could not do its part. */
  readonly onFault: (error: PtcError) => void;
  readonly onEvent: ((event: ExecutionEvent) => void) | undefined;
}
