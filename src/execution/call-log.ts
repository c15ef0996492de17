import type { ToolCaller } from '../tools/tool.ts';
import type { ToolOutcome } from './tool-outcome.ts';

/** A call whose tool runs: it passed its schema and the policy. */
export interface LoggedCall {
  readonly toolName: string;
  readonly callId: string;
  readonly caller: ToolCaller;
  /** What the caller sent, as JSON text. */
  readonly argumentsText: string;
}

/**
 * Records calls so that the record outlives this process. Each call waits until it is recorded, so that no call is made
 * without a record.
 */
export interface CallLog {
  /** Is told of a call before its tool runs. If it rejects, the tool does not run, and the caller gets a `HostError`. */
  began(call: LoggedCall): Promise<void>;
  /**
   * Is told of its outcome before the caller is, but not of a call that nobody waits for any more: its tool may still
   * run. If it rejects, the caller gets a `HostError`.
   */
  ended(call: LoggedCall, outcome: ToolOutcome): Promise<void>;
}
