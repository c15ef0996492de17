import { given } from '../shared/given.ts';
import {
  checkOptionNames,
  type OptionNames,
  type OptionsObject,
} from '../shared/options/option-names.ts';
import { stopFollowing, ToolRegistry } from '../tools/registry/registry.ts';
import type { ToolSet } from '../tools/registry/tool-set.ts';
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

/** What a fork is made from. */
export interface ForkOrigin<Context> {
  readonly options: OrchestratorOptions;
  readonly tools: ToolRegistry<Context>;
  readonly document: ConversationDocument;
}

/** The registries of forks that are being made. */
const ofForks = new WeakSet<object>();

/**
 * Makes another conversation that continues from this one.
 * @param changes - The options that differ.
 * @param make - Makes the conversation from all its options.
 * @throws PtcError `OPTION_INVALID`, also for `conversation` and `messages`, and what `make` throws.
 */
export function makeFork<Context, Fork>(
  { options, tools, document }: ForkOrigin<Context>,
  changes: ForkOptions<Context>,
  make: (options: OrchestratorOptions<Context>) => Fork,
): Fork {
  checkOptionNames(changes, FORK);
  const { sessionKey: _session, messages: _start, ...inherited } = options;
  const all = { ...inherited, ...given(changes), conversation: withOwnSession(document) };
  if (changes.tools !== undefined) return make({ ...all, tools: changes.tools });
  const copy = tools.copy();
  ofForks.add(copy);
  try {
    return make({ ...all, tools: copy });
  } catch (error) {
    stopFollowing(copy);
    throw error;
  }
}

/**
 * The registry of a conversation, which nobody else uses: one that extends these tools, or that of a
 * fork.
 */
export function registryOf<Context>(tools: ToolSet<Context>): ToolRegistry<Context> {
  // Once, because a user can pass the registry of a fork to other conversations.
  const isOfFork = tools instanceof ToolRegistry && ofForks.delete(tools);
  return isOfFork ? tools : new ToolRegistry(tools);
}
