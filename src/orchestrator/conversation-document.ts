import type { ModelMessage, TokenUsage } from '../models/language-model.ts';
import { messageOf, PtcError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import { COUNT, ifIs, object, TEXT } from './schema-parts.ts';
import { jsonSchemaCheck, type JsonSchemaCheck } from '../tools/json-schema-validator.ts';

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

/** Its reference is to the definitions of the document's schema. */
export const MESSAGES_SCHEMA: JsonObject = { type: 'array', items: { $ref: '#/$defs/message' } };

export const USAGE_SCHEMA: JsonObject = {
  ...object({ inputTokens: COUNT, outputTokens: COUNT, cachedInputTokens: COUNT }),
  additionalProperties: true,
};

/** The definitions of messages and their blocks. */
export const MESSAGE_DEFINITIONS: JsonObject = {
  message: {
    type: 'object',
    properties: { role: { enum: ['user', 'assistant'] } },
    required: ['role', 'content'],
    allOf: [
      ifIs('role', 'user', message(['text', 'tool-result'])),
      ifIs('role', 'assistant', message(['text', 'thinking', 'tool-use', 'opaque'])),
    ],
  },
  text: block('text', { text: TEXT }),
  thinking: block('thinking', { thinking: TEXT, signature: TEXT }, { redactedData: TEXT }),
  'tool-use': block('tool-use', { id: TEXT, name: TEXT }, { input: { type: 'object' } }),
  'tool-result': block('tool-result', {
    toolUseId: TEXT,
    text: TEXT,
    isError: { type: 'boolean' },
  }),
  opaque: block('opaque', { value: { type: 'object' } }),
};

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
  $defs: MESSAGE_DEFINITIONS,
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

function block(type: string, required: JsonObject, optional?: JsonObject): JsonObject {
  return object({ type: { const: type }, ...required }, optional);
}

/** One schema for each type of block, so that a fault is told of the type that it is. */
function blocks(types: readonly string[]): JsonObject {
  return {
    type: 'array',
    items: {
      type: 'object',
      properties: { type: { enum: types } },
      required: ['type'],
      allOf: types.map((type) => ifIs('type', type, { $ref: `#/$defs/${type}` })),
    },
  };
}

function message(types: readonly string[]): JsonObject {
  return object({ role: TEXT, content: blocks(types) });
}
