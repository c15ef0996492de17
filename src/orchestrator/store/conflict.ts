import { PtcError } from '../../shared/errors.ts';

/** Whether an error says that another process wrote to the conversation. */
export function isConflict(error: unknown): boolean {
  return PtcError.isInstance(error) && error.code === 'CONVERSATION_CONFLICT';
}

/** The error if another process has written to a conversation meanwhile. */
export function conversationConflict(key: string): PtcError {
  return new PtcError(
    'CONVERSATION_CONFLICT',
    `The conversation ${JSON.stringify(key)} was changed elsewhere since it was read here, so nothing was written. Run again to continue from its current state.`,
    { details: { key } },
  );
}
