import { given } from '../shared/given.ts';
import {
  checkOptionNames,
  type OptionNames,
  type OptionsObject,
} from '../shared/options/option-names.ts';
import type { ConversationDocument } from './conversation/conversation-document.ts';
import { withOwnSession } from './conversation/conversation-start.ts';
import { ORCHESTRATOR_NAMES, ORCHESTRATOR_WORDS, PAGE } from './option-names.ts';
import type { OrchestratorOptions } from './orchestrator-options.ts';

/** Options of a conversation that differ in its fork. The fork has the messages of its origin. */
export type ForkOptions<Context = never> = Partial<
  Omit<OrchestratorOptions<Context>, 'conversation' | 'messages'>
>;

const { conversation: _conversation, messages: _messages, ...OF_FORK } = ORCHESTRATOR_NAMES;
export const FORK_NAMES: OptionNames<ForkOptions> = OF_FORK;

const FORK: OptionsObject<ForkOptions> = {
  of: 'fork',
  names: FORK_NAMES,
  page: PAGE,
  otherWords: ORCHESTRATOR_WORDS,
};

/**
 * The options of another conversation that continues from a document of this one.
 * @param own - The options of this conversation, with its tools.
 * @param changes - The options that differ.
 * @throws PtcError `OPTION_INVALID`, also for `conversation` and `messages`.
 */
export function forkOptions<Context>(
  { sessionKey: _session, messages: _start, ...inherited }: OrchestratorOptions<Context>,
  document: ConversationDocument,
  changes: ForkOptions<Context>,
): OrchestratorOptions<Context> {
  checkOptionNames(changes, FORK);
  return { ...inherited, ...given(changes), conversation: withOwnSession(document) };
}
