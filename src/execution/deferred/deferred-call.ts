import type { ToolFailure } from '../../protocol/messages.ts';

/**
 * What came of a call that its program deferred: the tool returned (`done`) or failed; it did not run
 * (`not-made`), such as because the call was rejected or its program failed; or it is not known what
 * it did (`unknown`), because it took too long or the host was stopped meanwhile.
 */
export type DeferredOutcome = 'done' | 'failed' | 'not-made' | 'unknown';

/** A call that its program deferred (`ToolDefinition.whenAsked`), and what came of it. */
export interface DeferredCall {
  /** The number of its receipt: from 1, in the order in which the receipts were given. */
  readonly number: number;
  readonly callId: string;
  readonly toolName: string;
  /** As the program sent them, or as an approver changed them, as JSON text. */
  readonly argumentsText: string;
  readonly outcome: DeferredOutcome;
  /** JSON text, at most its first 10,000 characters. Undefined unless the call is `done`. */
  readonly result: string | undefined;
  /** Why the call is not `done`. */
  readonly error: ToolFailure | undefined;
}
