import { messageOf, PtcError } from '../../shared/errors.ts';
import { sentence } from '../../shared/sentence.ts';

/**
 * The error if a store failed.
 * @param what - What it could not do.
 */
export function storeFailed(what: string, cause: unknown): PtcError {
  if (PtcError.isInstance(cause)) return cause;
  return new PtcError(
    'STORE_FAILED',
    `The conversation's store could not ${what}: ${sentence(messageOf(cause))} Fix the store and run again: this process keeps the conversation.`,
    { cause },
  );
}
