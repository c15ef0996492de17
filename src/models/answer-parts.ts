import type { AssistantBlock, ModelStreamPart } from './language-model.ts';

/** Yields the stream parts of an answer that was not streamed, as if it had been. */
export function* answerParts(content: readonly AssistantBlock[]): Generator<ModelStreamPart> {
  for (const block of content) {
    switch (block.type) {
      case 'text':
        yield { type: 'text-delta', text: block.text };
        break;
      case 'thinking':
        if (block.thinking !== '') yield { type: 'thinking-delta', text: block.thinking };
        break;
      case 'tool-use':
        yield { type: 'tool-use-started', id: block.id, name: block.name };
        if (block.input !== undefined) {
          yield { type: 'tool-input-delta', id: block.id, json: JSON.stringify(block.input) };
        }
        break;
      case 'opaque':
        break;
    }
  }
}
