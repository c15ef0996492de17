import type { ModelMessage, TokenUsage } from '../../models/language-model.ts';
import { NO_USAGE } from '../../models/token-usage.ts';
import {
  readConversation,
  readMessages,
  type ConversationDocument,
} from './conversation-document.ts';
import type { OrchestratorOptions } from '../orchestrator-options.ts';
import type { InputFile } from '../files/input-file.ts';
import { NO_STATE, stateOf, type ProgramState } from '../code/program-state.ts';

/** The state from which a conversation starts. */
export interface ConversationStart {
  readonly messages: readonly ModelMessage[];
  readonly usage: TokenUsage;
  readonly state: ProgramState;
  readonly files: readonly InputFile[];
  /** The key of its session. @default a random one */
  readonly key: string | undefined;
}

/** Documents whose key nobody set. */
const withRandomKey = new WeakSet<object>();

/**
 * A document whose conversation gets a session with a random key. It ends with its orchestrator, as those
 * of other conversations to which no key was given.
 */
export function withOwnSession(document: ConversationDocument): ConversationDocument {
  const own = { ...document };
  withRandomKey.add(own);
  return own;
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
    const { files = [], usage } = earlier;
    const knownKey = withRandomKey.has(Object(conversation)) ? undefined : earlierKey;
    return { messages: earlier.messages, usage, state, files, key: key ?? knownKey };
  }
  const start = { usage: NO_USAGE, files: [], key };
  if (messages === undefined) return { ...start, messages: [], state: NO_STATE };
  const read = readMessages(messages);
  return { ...start, messages: read, state: stateOf(read) };
}
