import type { AssistantBlock, ModelMessage } from '../language-model.ts';

/**
 * Messages without the thinking at the end of an answer that another message follows: Claude refuses a request with such an
 * answer. A model leaves one behind if it reaches the limit of its output while it thinks, or writes only blank text afterwards.
 */
export function withoutLastThinking(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.map((message, index) => {
    if (message.role === 'user' || index === messages.length - 1) return message;
    const last = message.content.findLastIndex((block) => !isBlank(block));
    if (message.content[last]?.type !== 'thinking') return message;
    const end = message.content.findLastIndex(
      (block) => !isBlank(block) && block.type !== 'thinking',
    );
    return { ...message, content: message.content.slice(0, end + 1) };
  });
}

/** Whether the services' adapters leave the block out. */
function isBlank(block: AssistantBlock): boolean {
  return block.type === 'text' && block.text.trim() === '';
}
