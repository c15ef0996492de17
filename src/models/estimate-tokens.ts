import type { AssistantBlock, ModelMessage, ModelRequest, UserBlock } from './language-model.ts';

/**
 * Estimates the tokens of a text: one for every four UTF-16 units, rounded up. This is an
 * approximation for models that run offline; real tokenizers depend on language and content.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** About what Anthropic counts for an image with a million pixels: width × height / 750. */
const TOKENS_OF_FILE = 1400;

/**
 * Estimates the tokens of a request. Each image and each PDF counts as 1400, however long its
 * base64 text is.
 */
export function estimateRequestTokens({
  system,
  tools,
  messages,
}: Pick<ModelRequest, 'system' | 'tools' | 'messages'>): number {
  const parts = messages.map(withoutFiles);
  const text = JSON.stringify([system, tools, parts.map((part) => part.message)]);
  return parts.reduce((sum, { fileTokens }) => sum + fileTokens, estimateTokens(text));
}

/**
 * Returns a message without its images and PDFs, and the estimated tokens of these. What only looks
 * like one, such as an argument of a tool call, is text to the model and stays.
 */
export function withoutFiles(message: ModelMessage): {
  readonly message: object;
  readonly fileTokens: number;
} {
  const blocks: readonly (UserBlock | AssistantBlock)[] = message.content;
  const others = blocks.filter((block) => !isFile(block));
  const content = others.map((block) =>
    block.type === 'tool-result' ? { ...block, images: undefined } : block,
  );
  const images = others.flatMap((block) =>
    block.type === 'tool-result' ? (block.images ?? []) : [],
  );
  const files = blocks.length - others.length + images.length;
  return { message: { ...message, content }, fileTokens: files * TOKENS_OF_FILE };
}

/** Whether a block is an image or a PDF, and not a text document. */
function isFile(block: UserBlock | AssistantBlock): boolean {
  return (
    block.type === 'image' || (block.type === 'document' && block.mediaType === 'application/pdf')
  );
}
