import type { AssistantBlock, ModelMessage, UserBlock } from '../language-model.ts';

/**
 * Replaces each use of a server tool that has no result by a text, because the service refuses a
 * request with such a use. A run that ends while the service has paused its answer leaves one
 * behind. Uses in the newest answer stay if the service is to continue it.
 */
export function withoutOpenUses(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const answered = new Set(
    messages.flatMap(({ content }) => content.map((block) => fieldOf(block, 'tool_use_id'))),
  );
  const newest = messages.findLastIndex(({ role }) => role === 'assistant');
  const goesOn = messages
    .slice(newest + 1)
    .every(({ content }) => content.every(({ type }) => type === 'tool-result'));
  return messages.map((message, index) => {
    if (message.role === 'user' || (index === newest && goesOn)) return message;
    const isOpen = (block: AssistantBlock): boolean => {
      const isUse = fieldOf(block, 'type')?.endsWith('tool_use') === true;
      return isUse && !answered.has(fieldOf(block, 'id'));
    };
    if (!message.content.some(isOpen)) return message;
    const content = message.content.map((block) => (isOpen(block) ? cutOff(block) : block));
    return { ...message, content };
  });
}

function cutOff(block: AssistantBlock): AssistantBlock {
  const name = fieldOf(block, 'name') ?? 'a tool';
  return {
    type: 'text',
    text: `[This answer was cut off while ${name} was used. Its result is not known.]`,
  };
}

/** A field of a block that only the service knows. */
function fieldOf(block: UserBlock | AssistantBlock, field: string): string | undefined {
  const value = block.type === 'opaque' ? block.value[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}
