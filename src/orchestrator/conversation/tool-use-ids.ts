import type { AssistantBlock, ModelMessage } from '../../models/language-model.ts';
import { newCallId } from '../../models/new-call-id.ts';

/** An answer whose calls have unique ids, in the answer and in the conversation. */
export interface IdentifiedAnswer {
  readonly content: readonly AssistantBlock[];
  /** The new ids of calls that had the id of an earlier call of the same answer. */
  readonly repeats: ReadonlySet<string>;
}

/**
 * Gives a new id to each call that has no id or the id of another call. Some services count from
 * the start in every answer, and others refuse a conversation with duplicate ids.
 */
export function identifyToolUses(
  content: readonly AssistantBlock[],
  history: readonly ModelMessage[],
): IdentifiedAnswer {
  const earlier = new Set(history.flatMap((message) => idsOf(message.content)));
  const own = new Set<string>();
  const repeats = new Set<string>();
  const identified = content.map((block) => {
    if (block.type !== 'tool-use') return block;
    const repeated = own.has(block.id);
    if (!repeated && !earlier.has(block.id) && block.id !== '') {
      own.add(block.id);
      return block;
    }
    const id = newCallId();
    if (repeated) repeats.add(id);
    else if (block.id !== '') own.add(block.id);
    return { ...block, id };
  });
  return { content: identified, repeats };
}

function idsOf(content: ModelMessage['content']): string[] {
  return content.flatMap((block) => (block.type === 'tool-use' ? [block.id] : []));
}
