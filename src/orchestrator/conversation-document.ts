import type { ModelMessage, TokenUsage } from '../models/language-model.ts';
import { NO_USAGE } from '../models/token-usage.ts';
import { mediaProblem } from '../models/media-problem.ts';
import { messageOf, PtcError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import { jsonSchemaCheck, type JsonSchemaCheck } from '../tools/json-schema-validator.ts';
import { MESSAGE_DEFS, MESSAGES_SCHEMA, object, TEXT, USAGE_SCHEMA } from './message-schema.ts';

/** A conversation as a JSON value, as `ProgrammaticToolOrchestrator.toJSON` gives it. */
export interface ConversationDocument {
  readonly version: 1;
  /** As they can be sent: requests and answers alternate, and each tool use has its result in the message after it. */
  readonly messages: readonly ModelMessage[];
  readonly usage: TokenUsage;
  readonly session: {
    readonly key: string;
    /** Whether programs ran in it whose variables the model may expect. */
    readonly hasState: boolean;
  };
}

const VERSION = 1;

/** The JSON Schema (2020-12) of a conversation's document. */
export const CONVERSATION_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A conversation of sandboxed-ptc',
  ...object({
    version: { const: VERSION },
    messages: MESSAGES_SCHEMA,
    usage: USAGE_SCHEMA,
    session: object({ key: { ...TEXT, minLength: 1 }, hasState: { type: 'boolean' } }),
  }),
  $defs: MESSAGE_DEFS,
};

let schemaCheck: JsonSchemaCheck | undefined;

/**
 * Reads a conversation's document, which may come from anywhere.
 * @throws PtcError `CONVERSATION_INVALID`, saying what is wrong with it.
 */
export function readConversation(source: unknown): ConversationDocument {
  const document = copyOf(source);
  const version: unknown = (document as { readonly version?: unknown } | null | undefined)?.version;
  if (typeof version === 'number' && version > VERSION) {
    throw invalidConversation(
      `it is of version ${version}, and this package reads version ${VERSION}: use a newer package`,
    );
  }
  schemaCheck ??= jsonSchemaCheck(CONVERSATION_SCHEMA);
  const checked = schemaCheck.check(document);
  if (!checked.valid) throw invalidConversation(checked.message);
  const conversation = document as ConversationDocument;
  checkMessages(conversation.messages);
  return conversation;
}

/**
 * Reads messages that can be sent, which may come from anywhere.
 * @throws PtcError `CONVERSATION_INVALID`.
 */
export function readMessages(source: unknown): readonly ModelMessage[] {
  const session = { key: 'none', hasState: false };
  return readConversation({ version: VERSION, messages: source, usage: NO_USAGE, session })
    .messages;
}

/** What is checked must be what is used, so that nothing of the source is kept. */
function copyOf(source: unknown): unknown {
  try {
    const text = JSON.stringify(source) as string | undefined;
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    throw invalidConversation(`it is not a JSON value: ${messageOf(error)}`);
  }
}

/**
 * Checks that messages can be sent, whoever put them together.
 * @throws PtcError `CONVERSATION_INVALID`.
 */
export function checkMessages(messages: readonly ModelMessage[]): void {
  let open = new Set<string>();
  for (const [index, { role, content }] of messages.entries()) {
    if ((role === 'user') !== (index % 2 === 0)) {
      throw invalidConversation(
        `messages[${index}] is of the ${role}; requests and answers alternate, a request first`,
      );
    }
    if (content.length === 0) throw invalidConversation(`messages[${index}] is empty`);
    for (const [at, block] of content.entries()) {
      const isMedia = block.type === 'image' || block.type === 'document';
      const problem = isMedia ? mediaProblem(block) : undefined;
      if (problem !== undefined)
        throw invalidConversation(`messages[${index}].content[${at}]: ${problem}`);
    }
    const results = content.flatMap((one) => (one.type === 'tool-result' ? [one.toolUseId] : []));
    for (const id of results) {
      if (!open.delete(id)) {
        throw invalidConversation(
          `messages[${index}] has a result for ${shown(id)}, which nobody called`,
        );
      }
    }
    const [missing] = open;
    if (missing !== undefined) throw invalidConversation(noResult(missing, index));
    const uses = content.flatMap((one) => (one.type === 'tool-use' ? [one.id] : []));
    open = new Set(uses);
    if (open.size < uses.length)
      throw invalidConversation(`messages[${index}] has two calls with one id`);
  }
  const [missing] = open;
  if (missing !== undefined) throw invalidConversation(noResult(missing, messages.length));
}

function noResult(id: string, index: number): string {
  return `messages[${index - 1}] has the call ${shown(id)}, whose result is not in the message after it`;
}

function shown(id: string): string {
  return JSON.stringify(id.slice(0, 60));
}

/** What is thrown for messages or a document that cannot be used. */
export function invalidConversation(why: string): PtcError {
  return new PtcError('CONVERSATION_INVALID', `This is not a conversation that can go on: ${why}.`);
}
