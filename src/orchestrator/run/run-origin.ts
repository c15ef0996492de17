import { randomUUID } from 'node:crypto';
import { checkLabels } from '../../sessions/options/keys-and-labels.ts';
import type { Labels } from '../../shared/labels.ts';
import { tenantOf } from '../../sessions/tenants/tenants.ts';
import type { RunOptions } from '../orchestrator-options.ts';
import type { ToolUsesOptions } from '../tool-uses.ts';

/**
 * The origin of a run's tool calls. Direct calls have no session.
 * @param about - The labels of the conversation, and the label whose values are the tenants.
 * @throws PtcError `OPTION_INVALID` for a label that is not text.
 */
export function runOrigin(
  sessionKey: string,
  about: { readonly labels: Labels; readonly fairBy: string | undefined },
  { labels, context }: RunOptions,
): ToolUsesOptions['origin'] {
  const all = { ...about.labels, ...checkLabels(labels) };
  return {
    sessionId: undefined,
    sessionKey,
    labels: all,
    tenant: tenantOf(all, about.fairBy),
    runId: randomUUID(),
    context,
  };
}
