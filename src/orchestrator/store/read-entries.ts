import { LoopPauses } from '../../shared/async/loop-pauses.ts';
import { isRecord } from '../../shared/guards.ts';
import { showValue } from '../../shared/show-value.ts';
import { invalidConversation } from '../conversation/conversation-document.ts';
import type { StoredEntry } from './conversation-store.ts';
import { readEntry } from './entry-schema.ts';

/**
 * Validates what a store has loaded, with pauses for other work.
 * @param after - How many entries of the conversation precede it.
 * @throws PtcError `CONVERSATION_INVALID` with the reason.
 */
export async function readEntries(values: unknown, after: number): Promise<readonly StoredEntry[]> {
  if (!Array.isArray(values)) {
    throw invalidConversation(
      `load of its store gave ${showValue(values)}, not a list of entries, which is empty if there are none`,
    );
  }
  const lastMessages = values.findLastIndex((value) => typeOf(value) === 'messages');
  const pauses = new LoopPauses();
  const entries: StoredEntry[] = [];
  for (const [index, value] of values.entries()) {
    const pause = pauses.next();
    if (pause !== undefined) await pause;
    // The first entry may be known, and is compared then if the store gave it.
    const isLeftOut = value === null || (index > 0 && isAboutCall(value));
    const isDone = index < lastMessages && isLeftOut;
    entries.push(isDone ? null : await readEntry(value, after + index, pauses));
  }
  return entries;
}

function typeOf(value: unknown): unknown {
  return isRecord(value) ? value['type'] : undefined;
}

function isAboutCall(value: unknown): boolean {
  const type = typeOf(value);
  return (
    type === 'tool-call-deferred' || type === 'tool-call-started' || type === 'tool-call-ended'
  );
}
