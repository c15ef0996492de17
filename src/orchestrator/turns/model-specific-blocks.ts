import type { AssistantBlock, ModelMessage } from '../../models/language-model.ts';

/**
 * Replaces an answer that has no block which another model can read. Services refuse an empty
 * answer.
 */
const NOTHING_TO_READ = '[This answer had no text.]';

/**
 * The messages in the form that a model may get: without the thinking of other models, and without
 * blocks that only their services understand. Messages without a model id are not changed.
 */
export function readableBy(
  messages: readonly ModelMessage[],
  modelId: string,
): readonly ModelMessage[] {
  return messages.map((message) => {
    if (message.role === 'user' || (message.model ?? modelId) === modelId) return message;
    const content = message.content.filter((block) => !isModelSpecific(block));
    return {
      role: 'assistant',
      content: content.length > 0 ? content : [{ type: 'text', text: NOTHING_TO_READ }],
    };
  });
}

/** Whether only the model that wrote a block can read it. */
export function isModelSpecific({ type }: AssistantBlock): boolean {
  return type === 'thinking' || type === 'opaque';
}
