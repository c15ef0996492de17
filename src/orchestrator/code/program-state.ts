import type { ModelMessage } from '../../models/language-model.ts';
import type { Session } from '../../sessions/executor.ts';
import { EXECUTE_CODE } from './code-tool-definition.ts';

/** What is known about the variables of a conversation's programs. */
export interface ProgramState {
  /** Whether programs ran whose variables the model may expect. */
  readonly hasState: boolean;
  /** The `Session.stateId` of the sandbox that has the variables. Absent if it is not known. */
  readonly stateId?: string;
}

export const NO_STATE: ProgramState = { hasState: false };

/**
 * The state for messages of unknown origin: if they contain programs, the model may expect the
 * variables of those programs.
 */
export function stateOf(messages: readonly ModelMessage[]): ProgramState {
  const hasState = messages.some(({ content }) =>
    content.some((block) => block.type === 'tool-use' && block.name === EXECUTE_CODE),
  );
  return { hasState };
}

/** Whether the model expects variables that a session does not have. */
export function isLost(
  { hasState, stateId }: ProgramState,
  session: Pick<Session, 'isNew' | 'stateId'>,
): boolean {
  return hasState && (stateId === undefined ? session.isNew : stateId !== session.stateId);
}
