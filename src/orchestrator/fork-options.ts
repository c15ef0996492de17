import { randomUUID } from 'node:crypto';
import { given } from '../shared/given.ts';
import type { ConversationDocument } from './conversation/conversation-document.ts';
import { checkForkNames } from './option-names.ts';
import type { OrchestratorOptions } from './orchestrator-options.ts';

/**
 * The options of another conversation that continues from a document of this one.
 * @param own - The options of this conversation, with its tools.
 * @param changes - The options that differ.
 * @throws PtcError `OPTION_INVALID`
 */
export function forkOptions<Context>(
  { sessionKey: _session, messages: _start, ...inherited }: OrchestratorOptions<Context>,
  document: ConversationDocument,
  changes: Partial<OrchestratorOptions<Context>>,
): OrchestratorOptions<Context> {
  checkForkNames(changes);
  const { version, messages, usage, session } = document;
  const key = changes.sessionKey ?? randomUUID();
  const conversation = { version, messages, usage, session: { ...session, key } };
  return { ...inherited, ...given(changes), conversation };
}
