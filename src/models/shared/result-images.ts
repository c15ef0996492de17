import type { ModelMessage, ToolResultBlock, UserBlock } from '../language-model.ts';
import { unsupportedBlock, type BlockPlace } from '../unsupported-block.ts';

/**
 * The text before the images of a tool result, for services that take no images in a result. There,
 * they follow the results as if the user had sent them.
 */
export function imagesNote({ toolUseId, images = [] }: ToolResultBlock): string {
  const what = images.length === 1 ? 'This image belongs' : `These ${images.length} images belong`;
  return `[${what} to the result of the tool call ${toolUseId}.]`;
}

/**
 * Messages whose errors have no images, which Claude refuses in a result that is an error. They follow
 * the other blocks of the message.
 */
export function withoutErrorImages(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.map((message) => {
    if (message.role !== 'user' || !message.content.some(hasErrorImages)) return message;
    const errors = message.content.filter(hasErrorImages);
    const beside = errors.flatMap((error): UserBlock[] => [
      { type: 'text', text: imagesNote(error) },
      ...(error.images ?? []),
    ]);
    const content = message.content.map((block) => {
      if (!hasErrorImages(block)) return block;
      const { images: _images, ...rest } = block;
      return rest;
    });
    return { role: 'user', content: [...content, ...beside] };
  });
}

function hasErrorImages(block: UserBlock): block is ToolResultBlock {
  return block.type === 'tool-result' && block.isError && hasImages(block);
}

function hasImages({ images = [] }: ToolResultBlock): boolean {
  return images.length > 0;
}

/**
 * Messages for a model that accepts no images. Those of tool results are left out, and the model is
 * told so, because it did not ask for them itself.
 * @throws PtcError `MODEL_INPUT_UNSUPPORTED` for an image that the user sent.
 */
export function withoutImages(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.map((message, index) => {
    if (message.role !== 'user') return message;
    const content = message.content.map((block, at) =>
      withoutImage(block, { message: index, block: at }),
    );
    return { role: 'user', content };
  });
}

function withoutImage(block: UserBlock, place: BlockPlace): UserBlock {
  if (block.type === 'image') {
    const why = 'Its option acceptsImages is false. Use a model that accepts images.';
    throw unsupportedBlock(block, place, why);
  }
  if (block.type !== 'tool-result' || !hasImages(block)) return block;
  const { images = [], ...rest } = block;
  const what = images.length === 1 ? '1 image is' : `${images.length} images are`;
  const note = `[${what} not shown, because this model accepts no images.]`;
  return { ...rest, text: [rest.text, note].filter((part) => part !== '').join('\n') };
}
