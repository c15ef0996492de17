import type { AssistantBlock, ModelMessage } from '../../models/language-model.ts';

/** Says what an answer was that had nothing which another model can read: services refuse an empty one. */
const NOTHING_TO_READ = '[This answer had no text.]';

/**
 * The messages as a model may get them: without the thinking of other models, and without what only their services
 * understand. Messages that do not say who wrote them stay as they are.
 */
export function readableBy(
  messages: readonly ModelMessage[],
  modelId: string,
): readonly ModelMessage[] {
  return messages.map((message) => {
    if (message.role === 'user' || (message.model ?? modelId) === modelId) return message;
    const content = message.content.filter((block) => !isBound(block));
    return {
      role: 'assistant',
      content: content.length > 0 ? content : [{ type: 'text', text: NOTHING_TO_READ }],
    };
  });
}

/** Whether only the model that wrote a block can read it. */
export function isBound({ type }: AssistantBlock): boolean {
  return type === 'thinking' || type === 'opaque';
}
