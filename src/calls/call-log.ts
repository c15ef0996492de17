import type { ToolCaller } from '../tools/tool.ts';
import type { ToolOutcome } from './tool-outcome.ts';

/** A call whose tool runs: it passed the schema and the policy. */
export interface LoggedCall {
  readonly toolName: string;
  readonly callId: string;
  readonly caller: ToolCaller;
  /**
   * The arguments as JSON text, before validation: as the caller sent them, or once the tool runs, as
   * an approver changed them.
   */
  readonly argumentsText: string;
}

/**
 * Records calls so that the record outlives this process. A call waits until it is recorded, so no
 * tool runs without a record.
 */
export interface CallLog {
  /**
   * Called before the caller gets the receipt of a call that is deferred. If the call is made later,
   * `started` and `ended` follow. If it rejects, the call is not deferred, and the caller gets a
   * `HostError`. @default it is not recorded that calls are deferred
   */
  deferred?(call: LoggedCall): Promise<void>;
  /**
   * Called before the tool runs. If it rejects, the tool does not run, and the caller gets a
   * `HostError`.
   */
  started(call: LoggedCall): Promise<void>;
  /**
   * Called with the outcome before the caller gets it. Not called if nothing waits for the call any
   * more: its tool may then still run. If it rejects, the caller gets a `HostError`.
   */
  ended(call: LoggedCall, outcome: ToolOutcome): Promise<void>;
}
