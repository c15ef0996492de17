import type { PtcError } from '../shared/errors.ts';
import type { JsonValue } from '../shared/json/json.ts';
import type {
  CallGivenUpMessage,
  HostMessage,
  ImageMessage,
  OutcomeMessage,
  OutputDeltaMessage,
  ToolCallMessage,
  ValueMessage,
} from '../protocol/messages.ts';
import type { PolicyGate } from '../tools/policy/policy-gate.ts';
import type { CallOrigin, CheckLevel } from '../tools/tool.ts';
import type { SessionFiles } from '../tools/session-files.ts';
import type { CallLog } from '../calls/call-log.ts';
import type { ProgramTrail } from './program-trail.ts';
import type { PacedListener } from '../shared/async/paced-listener.ts';
import type { ExecutionEvent } from './execution.ts';
import type { ToolLookup } from '../calls/invoke-tool.ts';
import type { ExecutionBudgets, StopCause } from './execution-budgets.ts';

/** A message of a runner about a program. */
export type ExecutionMessage =
  | ToolCallMessage
  | CallGivenUpMessage
  | OutputDeltaMessage
  | ImageMessage
  | ValueMessage
  | OutcomeMessage;

/** How a program ended. `outcome` is the runner's report, if it could still send one. */
export interface ExecutionEnd {
  readonly outcome: OutcomeMessage | undefined;
  /** The value of the program. */
  readonly value: JsonValue | undefined;
  /** Set if the host stopped the program. */
  readonly stopCause: StopCause | undefined;
  /** Set if the sandbox was lost while the program ran. */
  readonly lost: Error | undefined;
}

export interface ProgramExecutionOptions {
  readonly executionId: string;
  readonly origin: CallOrigin;
  readonly files: SessionFiles | undefined;
  readonly tools: ToolLookup;
  readonly policy: PolicyGate | undefined;
  readonly audit: ProgramTrail | undefined;
  readonly callLog: CallLog | undefined;
  readonly checkResults: CheckLevel;
  /** Time during which calls wait for approval does not count. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly maxOutputBytes: number;
  readonly budgets: ExecutionBudgets;
  readonly send: (message: HostMessage) => void;
  /** Settles when the runner has read most of what was sent. Undefined if it has. */
  readonly taken: () => Promise<void> | undefined;
  /** Ends the sandbox: the host failed, or the program does not stop. */
  readonly onFault: (error: PtcError) => void;
  readonly listener: PacedListener<ExecutionEvent> | undefined;
}
