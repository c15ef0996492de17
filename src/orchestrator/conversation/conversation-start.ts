import type { ModelMessage, TokenUsage } from '../../models/language-model.ts';
import { NO_USAGE } from '../../models/token-usage.ts';
import { readConversation, readMessages } from './conversation-document.ts';
import type { OrchestratorOptions } from '../orchestrator-options.ts';
import { NO_STATE, stateOf, type ProgramState } from '../code/program-state.ts';

/** The state from which a conversation starts. */
export interface ConversationStart {
  readonly messages: readonly ModelMessage[];
  readonly usage: TokenUsage;
  readonly state: ProgramState;
  /** The key of its session. @default a random one */
  readonly key: string | undefined;
}

/**
 * Reads the state from which a conversation starts from its options.
 * @throws PtcError `CONVERSATION_INVALID`.
 */
export function conversationStart({
  sessionKey: key,
  conversation,
  messages,
}: Pick<OrchestratorOptions, 'sessionKey' | 'conversation' | 'messages'>): ConversationStart {
  if (conversation !== undefined) {
    const { session, ...earlier } = readConversation(conversation);
    const { key: earlierKey, ...state } = session;
    return { messages: earlier.messages, usage: earlier.usage, state, key: key ?? earlierKey };
  }
  if (messages === undefined) return { messages: [], usage: NO_USAGE, state: NO_STATE, key };
  const read = readMessages(messages);
  return { messages: read, usage: NO_USAGE, state: stateOf(read), key };
}
