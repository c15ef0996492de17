/**
 * Whether something still waits for a call. Thousands of calls may wait, and a signal for each takes most
 * of the time of a decision.
 */
export interface CallWaiter {
  /** Whether nothing waits for the call any more. */
  readonly isOver: boolean;
  /**
   * Calls a function once if nothing waits any more from now on, and returns a function that prevents
   * that.
   */
  onOver(listener: () => void): () => void;
  /** A signal that fires then. It is created when it is asked for. */
  readonly signal: AbortSignal;
}
