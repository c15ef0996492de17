import { messageOf, PtcError } from '../shared/errors.ts';

/**
 * What a run throws for what went wrong in it.
 * @param closing - Fires if the orchestrator closes.
 * @param signal - Fires then too, and if the caller aborts.
 */
export function explainFailure(
  cause: unknown,
  closing: AbortSignal,
  signal: AbortSignal,
): PtcError {
  if (closing.aborted) {
    return new PtcError('CLOSED', 'The orchestrator was closed during the run.', { cause });
  }
  if (PtcError.isInstance(cause) && (cause.code === 'ABORTED' || !signal.aborted)) return cause;
  if (signal.aborted) return new PtcError('ABORTED', 'The run was aborted.', { cause });
  return new PtcError('RUN_FAILED', `The run failed: ${messageOf(cause)}`, { cause });
}
