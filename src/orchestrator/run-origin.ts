import { randomUUID } from 'node:crypto';
import { checkLabels, type SessionLabels } from '../sessions/keys-and-labels.ts';
import type { RunOptions } from './orchestrator-options.ts';
import type { ToolUsesOptions } from './tool-uses.ts';

/**
 * The origin of a run's tool calls. Direct calls have no session.
 * @param own - The labels of the conversation.
 * @throws PtcError `OPTION_INVALID` for a label that is not text.
 */
export function runOrigin(
  sessionKey: string,
  own: SessionLabels,
  { labels, context }: RunOptions,
): ToolUsesOptions['origin'] {
  return {
    sessionId: undefined,
    sessionKey,
    labels: { ...own, ...checkLabels(labels) },
    runId: randomUUID(),
    context,
  };
}
