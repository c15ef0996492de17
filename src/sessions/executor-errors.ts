import { PtcError } from '../shared/errors.ts';

export function closedError(cause?: unknown): PtcError {
  return new PtcError('CLOSED', 'This executor is closed. Make a new one.', { cause });
}

/** A persistent session was asked for under a key that has another. */
export function notPersistentError(key: string): PtcError {
  const message = `The session of key ${JSON.stringify(key)} is there and not persistent. Destroy it first, or acquire it without persistent.`;
  return new PtcError('OPTION_INVALID', message, { details: { key } });
}
