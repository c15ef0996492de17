import { createHash } from 'node:crypto';
import type { AssistantBlock, ModelMessage, ModelRequest, UserBlock } from '../language-model.ts';

/** The ids of calls that Anthropic and Amazon Bedrock accept. */
export const PLAIN_IDS: RegExp = /^[A-Za-z0-9_-]{1,64}$/;
/** Those that OpenAI accepts. Other services with its API may read their own ids, such as `functions.f:0`. */
export const SHORT_IDS: RegExp = /^.{1,40}$/s;

/** The names of tools that every service accepts. */
const NAMES = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_NAME_LENGTH = 64;

/**
 * A request with texts, names and ids that its service accepts. One that it does not accept would make
 * it refuse every later request of the conversation: half of a surrogate pair, the name of a tool that
 * a model made up, and the id of a call by another model.
 * @param ids - The ids that the service accepts. @default all
 */
export function sendableRequest(request: ModelRequest, ids?: RegExp): ModelRequest {
  const offered = new Set(request.tools.map(({ name }) => name));
  const toName = (name: string): string => (offered.has(name) ? name : acceptedName(name));
  const toId = (id: string): string => (ids === undefined || ids.test(id) ? id : shortId(id));
  const messages = request.messages.map((message): ModelMessage =>
    message.role === 'user'
      ? { ...message, content: message.content.map((block) => userBlock(block, toId)) }
      : { ...message, content: message.content.map((block) => ownBlock(block, toName, toId)) },
  );
  return { ...request, system: request.system.toWellFormed(), messages };
}

function userBlock(block: UserBlock, toId: (id: string) => string): UserBlock {
  switch (block.type) {
    case 'text':
      return { ...block, text: block.text.toWellFormed() };
    case 'tool-result':
      return { ...block, toolUseId: toId(block.toolUseId), text: block.text.toWellFormed() };
    case 'document': {
      const title = block.title?.toWellFormed();
      const named = title === undefined ? block : { ...block, title };
      return 'text' in named ? { ...named, text: named.text.toWellFormed() } : named;
    }
    default:
      return block;
  }
}

/** Thinking stays as it is, because services compare it with its signature. */
function ownBlock(
  block: AssistantBlock,
  toName: (name: string) => string,
  toId: (id: string) => string,
): AssistantBlock {
  if (block.type === 'text') return { ...block, text: block.text.toWellFormed() };
  return block.type === 'tool-use'
    ? { ...block, id: toId(block.id), name: toName(block.name) }
    : block;
}

function acceptedName(name: string): string {
  if (NAMES.test(name)) return name;
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, MAX_NAME_LENGTH) || '_';
}

/** The same for each request, so that the service can cache it, and different for different ids. */
function shortId(id: string): string {
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
