import type {
  InputBlock,
  ImageMediaType,
  ModelMessage,
  ModelRequest,
  TextBlock,
} from '../../../models/language-model.ts';
import { isRecord } from '../../../shared/guards.ts';
import { SamplingRefusal } from './sampling-refusal.ts';

const IMAGES: ReadonlySet<unknown> = new Set<ImageMediaType>([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
]);

/**
 * The request of a server as one of our models gets it: its messages, `systemPrompt` and `maxTokens`.
 * What else it wishes, such as another model, is left out.
 * @param params - Checked by the client against the protocol.
 * @throws SamplingRefusal for what no model here can read.
 */
export function readSampling(
  params: Readonly<Record<string, unknown>>,
  maxTokens: number,
): ModelRequest {
  const { tools, messages, systemPrompt } = params;
  if (Array.isArray(tools) && tools.length > 0) throw new SamplingRefusal('tools cannot be used');
  const asked = Number(params['maxTokens']);
  return {
    system: typeof systemPrompt === 'string' ? systemPrompt : '',
    messages: joined(Array.isArray(messages) ? messages : []),
    tools: [],
    maxTokens: asked >= 1 ? Math.min(asked, maxTokens) : maxTokens,
  };
}

/** Services want the roles to alternate. */
function joined(sent: readonly unknown[]): readonly ModelMessage[] {
  const messages: { role: 'user' | 'assistant'; content: (InputBlock | TextBlock)[] }[] = [];
  for (const { role, content } of sent.filter(isRecord)) {
    const blocks = (Array.isArray(content) ? content : [content]).map(readBlock);
    const last = messages.at(-1);
    if (role !== 'user' && role !== 'assistant') throw new SamplingRefusal('unknown role');
    if (role === 'assistant' && blocks.some(({ type }) => type !== 'text')) {
      throw new SamplingRefusal('only a user can send images');
    }
    if (last?.role === role) last.content.push(...blocks);
    else messages.push({ role, content: blocks });
  }
  return messages as readonly ModelMessage[];
}

function readBlock(block: unknown): InputBlock {
  const { type, text, data, mimeType } = isRecord(block) ? block : {};
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type === 'image' && typeof data === 'string' && IMAGES.has(mimeType)) {
    return { type, mediaType: mimeType as ImageMediaType, data };
  }
  throw new SamplingRefusal('only texts and images (PNG, JPEG, GIF, WebP) can be read');
}
