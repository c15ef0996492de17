import type { CallLog } from '../calls/call-log.ts';
import type { CallRecorder } from '../calls/call-recorder.ts';
import type { ToolLookup } from '../calls/invoke-tool.ts';
import type { ToolResultMessage } from '../protocol/messages.ts';
import type { PtcError } from '../shared/errors.ts';
import type { CallDecision, CallGate } from '../tools/policy/call-gate.ts';
import type { SessionFiles } from '../tools/session-files.ts';
import type { CallOrigin, CheckLevel } from '../tools/tool.ts';
import type { RemoteCalls } from './held/remote-calls.ts';
import type { KeptResults } from './kept-results.ts';
import type { BudgetUse } from './limits/budget-use.ts';
import type { ExecutionBudgets } from './limits/execution-budgets.ts';

/** What the tool calls of a program need. */
export interface ProgramCallsOptions {
  readonly origin: CallOrigin & { readonly sessionId: string };
  readonly files: SessionFiles | undefined;
  readonly tools: ToolLookup;
  readonly policy: CallGate | undefined;
  /** Called with each decision of the policy. */
  readonly onDecision: (decision: CallDecision) => void;
  readonly recorder: CallRecorder;
  readonly callLog: CallLog | undefined;
  /** Asks for the answers to calls of remote tools. Undefined if nobody answers. */
  readonly remote: RemoteCalls | undefined;
  readonly checkResults: CheckLevel;
  readonly results: KeptResults | undefined;
  readonly budgets: ExecutionBudgets;
  readonly used: BudgetUse;
  readonly answer: (result: ToolResultMessage) => void;
  /** Settles when the runner has read the earlier answers. Undefined if it has. */
  readonly taken: () => Promise<void> | undefined;
  /** Ends the sandbox, because of an error on the host. */
  readonly onFault: (error: PtcError) => void;
}
