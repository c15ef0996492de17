import { PtcError } from '../shared/errors.ts';
import { explainClose, type SessionCloseReason } from './session/session-info.ts';

export function closedError(cause?: unknown): PtcError {
  return new PtcError('CLOSED', 'This executor is closed. Create a new one.', { cause });
}

/** For a persistent session whose key has a session that is not persistent. */
export function notPersistentError(key: string | undefined): PtcError {
  const message = `The session of key ${JSON.stringify(key)} exists and is not persistent. Destroy it first, or acquire it without persistent.`;
  return new PtcError('OPTION_INVALID', message, { details: { key } });
}

export function sessionClosedError(sessionId: string, reason: SessionCloseReason): PtcError {
  const message = `Session ${sessionId} is closed: ${explainClose(reason)}. Acquire a new one.`;
  return new PtcError('CLOSED', message, { details: { sessionId, reason } });
}

/** How a program ends whose session has lost its key. */
export function keyLostError(sessionId: string): PtcError {
  return new PtcError(
    'SANDBOX_LOST',
    `The program was left, and may go on or have been stopped elsewhere: ${explainClose('key-lost')}. Acquire the session again.`,
    { details: { sessionId } },
  );
}

/**
 * The error of a start that failed. A wait that a signal ended rejects with only the reason of the
 * signal.
 */
export function explainStart(
  error: unknown,
  closing: AbortSignal,
  signal: AbortSignal | undefined,
): unknown {
  if (closing.aborted) return closedError(error);
  if (signal?.aborted !== true || PtcError.isInstance(error)) return error;
  return abortedBeforeStart(error);
}

/** Whether an error says that a session no longer exists: it may have expired. */
export function isSessionGone(error: unknown): boolean {
  return (
    PtcError.isInstance(error) &&
    (error.code === 'SESSION_EXPIRED' || error.code === 'SESSION_NOT_FOUND')
  );
}

export function abortedBeforeStart(cause: unknown): PtcError {
  return new PtcError('ABORTED', 'The program was aborted before it started.', { cause });
}
