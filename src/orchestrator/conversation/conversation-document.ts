import type { ModelMessage, TokenUsage } from '../../models/language-model.ts';
import { NO_USAGE } from '../../models/token-usage.ts';
import { mediaProblemInSteps, type MediaBlock } from '../../models/media-problem.ts';
import { LoopPauses } from '../../shared/async/loop-pauses.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import { isNestedDeeper } from '../../shared/json/nesting.ts';
import { jsonSchemaCheck, type JsonSchemaCheck } from '../../tools/schema/json-schema-validator.ts';
import {
  MESSAGE_DEFS,
  MESSAGES_SCHEMA,
  object,
  STATE_ID,
  TEXT,
  USAGE_SCHEMA,
} from './message-schema.ts';
import { filesProblem, INPUT_FILES_SCHEMA, type InputFile } from '../files/input-file.ts';
import type { ProgramState } from '../code/program-state.ts';

/** A conversation as a JSON value, from `ProgrammaticToolOrchestrator.toJSON`. */
export interface ConversationDocument {
  readonly version: 1;
  /**
   * Messages that can be sent: requests and answers alternate, and each tool use has its result in
   * the next message.
   */
  readonly messages: readonly ModelMessage[];
  readonly usage: TokenUsage;
  readonly session: {
    readonly key: string;
  } & ProgramState;
  /** The files that were given to its runs, without their bytes. @default none */
  readonly files?: readonly InputFile[];
}

const VERSION = 1;

/** How deep a document or an entry of a store may be nested. */
const MAXIMUM_NESTING = 500;

/** How deep the blocks of an answer may be nested. Documents contain them in their messages. */
export const MAXIMUM_ANSWER_NESTING: number = MAXIMUM_NESTING - 10;

/** The JSON Schema (2020-12) of a conversation's document. */
export const CONVERSATION_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A conversation of sandboxed-ptc',
  ...object(
    {
      version: { const: VERSION },
      messages: MESSAGES_SCHEMA,
      usage: USAGE_SCHEMA,
      session: object({ key: { ...TEXT, minLength: 1 }, hasState: { type: 'boolean' } }, STATE_ID),
    },
    { files: INPUT_FILES_SCHEMA },
  ),
  $defs: MESSAGE_DEFS,
};

let schemaCheck: JsonSchemaCheck | undefined;

/**
 * Validates the document of a conversation, which may be untrusted.
 * @throws PtcError `CONVERSATION_INVALID` with the reason.
 */
export function readConversation(source: unknown): ConversationDocument {
  const document = copyOf(source);
  checkNesting(document);
  const version: unknown = (document as { readonly version?: unknown } | null | undefined)?.version;
  if (typeof version === 'number' && version > VERSION) {
    throw invalidConversation(
      `its version is ${version}, but this package reads version ${VERSION}: update the package`,
    );
  }
  schemaCheck ??= jsonSchemaCheck(CONVERSATION_SCHEMA);
  const checked = schemaCheck.check(document);
  if (!checked.valid) throw invalidConversation(checked.message);
  const conversation = document as ConversationDocument;
  if (!conversation.session.key.isWellFormed()) {
    throw invalidConversation('session.key has half of a surrogate pair');
  }
  const problem = filesProblem(conversation.files ?? []);
  if (problem !== undefined) throw invalidConversation(`its files: ${problem}`);
  checkMessages(conversation.messages);
  return conversation;
}

/**
 * Validates messages, which may be untrusted.
 * @throws PtcError `CONVERSATION_INVALID`.
 */
export function readMessages(source: unknown): readonly ModelMessage[] {
  const session = { key: 'none', hasState: false };
  return readConversation({ version: VERSION, messages: source, usage: NO_USAGE, session })
    .messages;
}

/** Copies the source, so that the checked value cannot change afterwards. */
function copyOf(source: unknown): unknown {
  try {
    const text = JSON.stringify(source) as string | undefined;
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    throw invalidConversation(`it is not a JSON value: ${messageOf(error)}`);
  }
}

/**
 * A deeper value could be read, but exhaust the stack when it is written or sent: these operations
 * use more of the stack for each level.
 * @throws PtcError `CONVERSATION_INVALID`.
 */
export function checkNesting(value: unknown): void {
  if (!isNestedDeeper(value, MAXIMUM_NESTING)) return;
  throw invalidConversation(`it is nested more than ${MAXIMUM_NESTING} levels deep`);
}

/**
 * Checks that messages can be sent, no matter where they come from.
 * @throws PtcError `CONVERSATION_INVALID`.
 */
export function checkMessages(messages: readonly ModelMessage[]): void {
  const steps = checkInSteps(messages);
  while (steps.next().done !== true);
}

/** As `checkMessages`, with pauses for other work. */
export async function checkManyMessages(messages: readonly ModelMessage[]): Promise<void> {
  const pauses = new LoopPauses();
  const steps = checkInSteps(messages);
  while (steps.next().done !== true) {
    const pause = pauses.next();
    if (pause !== undefined) await pause;
  }
}

function* checkInSteps(messages: readonly ModelMessage[]): Generator<undefined, void> {
  const order = new MessageOrder();
  for (const message of messages) {
    yield* order.add(message);
    yield;
  }
  order.end();
}

/** Checks messages one after another. */
class MessageOrder {
  /** How many messages were checked. */
  #count = 0;
  /** The calls of the last message. */
  #open: Set<string> = new Set();

  *add({ role, content }: ModelMessage): Generator<undefined, void> {
    const index = this.#count;
    if ((role === 'user') !== (index % 2 === 0)) {
      throw invalidConversation(
        `messages[${index}] has the role "${role}"; user and assistant must alternate, user first`,
      );
    }
    // Adapters omit blank text, so the request would end with an answer, or be empty.
    if (content.every(isBlankText)) throw invalidConversation(`messages[${index}] is empty`);
    for (const [at, block] of content.entries()) {
      for (const media of mediaOf(block)) {
        const problem = yield* mediaProblemInSteps(media);
        if (problem !== undefined)
          throw invalidConversation(`messages[${index}].content[${at}]: ${problem}`);
        yield;
      }
    }
    const results = content.flatMap((one) => (one.type === 'tool-result' ? [one.toolUseId] : []));
    for (const id of results) {
      if (!this.#open.delete(id)) {
        throw invalidConversation(
          `messages[${index}] has a result for ${shown(id)}, but no call with this id precedes it`,
        );
      }
    }
    this.end();
    this.#count += 1;
    const uses = content.flatMap((one) => (one.type === 'tool-use' ? [one.id] : []));
    this.#open = new Set(uses);
    if (this.#open.size < uses.length)
      throw invalidConversation(`messages[${index}] has two calls with the same id`);
  }

  /** @throws PtcError `CONVERSATION_INVALID` if a call has no result. */
  end(): void {
    const [missing] = this.#open;
    if (missing !== undefined) throw invalidConversation(noResult(missing, this.#count));
  }
}

/** The images and documents that a block is or has. */
function mediaOf(block: ModelMessage['content'][number]): readonly MediaBlock[] {
  if (block.type === 'tool-result') return block.images ?? [];
  return block.type === 'image' || block.type === 'document' ? [block] : [];
}

function isBlankText(block: ModelMessage['content'][number]): boolean {
  return block.type === 'text' && block.text.trim() === '';
}

function noResult(id: string, index: number): string {
  return `messages[${index - 1}] has the call ${shown(id)}, whose result is not in the next message`;
}

function shown(id: string): string {
  return JSON.stringify(id.slice(0, 60));
}

/** The error for messages or a document that cannot be used. */
export function invalidConversation(why: string): PtcError {
  return new PtcError('CONVERSATION_INVALID', `This conversation cannot be continued: ${why}.`);
}
