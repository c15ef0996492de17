import { PtcError } from '../../shared/errors.ts';

/** Whether others wrote to a conversation meanwhile. */
export function isConflict(error: unknown): boolean {
  return PtcError.isInstance(error) && error.code === 'CONVERSATION_CONFLICT';
}

/** What is thrown if another process has written to a conversation meanwhile. */
export function conversationConflict(key: string): PtcError {
  return new PtcError(
    'CONVERSATION_CONFLICT',
    `The conversation ${JSON.stringify(key)} was changed elsewhere since it was read here, so nothing was written. Run again to go on from what it is now.`,
    { details: { key } },
  );
}
