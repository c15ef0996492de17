import { PtcError } from '../shared/errors.ts';

export function closedError(cause?: unknown): PtcError {
  return new PtcError('CLOSED', 'This executor is closed. Make a new one.', { cause });
}

/** A persistent session was asked for under a key that has another. */
export function notPersistentError(key: string | undefined): PtcError {
  const message = `The session of key ${JSON.stringify(key)} is there and not persistent. Destroy it first, or acquire it without persistent.`;
  return new PtcError('OPTION_INVALID', message, { details: { key } });
}

/** Why a start failed: waiting for it ends with a signal's bare reason. */
export function explainStart(
  error: unknown,
  closing: AbortSignal,
  signal: AbortSignal | undefined,
): unknown {
  if (closing.aborted) return closedError(error);
  if (signal?.aborted !== true || PtcError.isInstance(error)) return error;
  return new PtcError('ABORTED', 'The run was aborted before it started.', { cause: error });
}
