import { jsonSchemaCheck, type JsonSchemaCheck } from '../../tools/schema/json-schema-validator.ts';
import type { LoopPauses } from '../../shared/async/loop-pauses.ts';
import { isRecord } from '../../shared/guards.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import { checkNesting, invalidConversation } from '../conversation/conversation-document.ts';
import {
  COUNT,
  ifIs,
  MESSAGE_DEFS,
  MESSAGES_SCHEMA,
  object,
  STATE_ID,
  TEXT,
  USAGE_SCHEMA,
} from '../conversation/message-schema.ts';
import type { ConversationEntry } from './conversation-store.ts';

const VERSION = 1;

const TIME = { type: 'number' };

const CALL = { toolUseId: TEXT, callId: TEXT };

const ENTRIES: Readonly<Record<ConversationEntry['type'], JsonObject>> = {
  'run-started': entry({ version: { const: VERSION }, timeMs: TIME }),
  messages: entry(
    {
      from: COUNT,
      messages: MESSAGES_SCHEMA,
      usage: USAGE_SCHEMA,
      hasState: { type: 'boolean' },
    },
    STATE_ID,
  ),
  'messages-part': entry({ messages: MESSAGES_SCHEMA }),
  'tool-call-started': entry({ ...CALL, toolName: TEXT, arguments: TEXT }),
  'tool-call-ended': entry(CALL, { result: TEXT, error: object({ type: TEXT, message: TEXT }) }),
  'run-ended': entry({ timeMs: TIME }, { error: TEXT }),
};

const SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { type: { enum: Object.keys(ENTRIES) } },
  required: ['type'],
  allOf: Object.entries(ENTRIES).map(([type, schema]) => ifIs('type', type, schema)),
  $defs: MESSAGE_DEFS,
};

const MESSAGE: JsonObject = {
  $schema: SCHEMA['$schema'] as string,
  $ref: '#/$defs/message',
  $defs: MESSAGE_DEFS,
};

let schemaCheck: JsonSchemaCheck | undefined;
let messageCheck: JsonSchemaCheck | undefined;

/**
 * Validates an entry from a store, which may be untrusted, with pauses between its messages.
 * @param index - The index of the entry in its conversation.
 * @throws PtcError `CONVERSATION_INVALID` with the reason.
 */
export async function readEntry(
  value: unknown,
  index: number,
  pauses: LoopPauses,
): Promise<ConversationEntry> {
  if (!isRecord(value) || !Array.isArray(value['messages'])) return checkEntry(value, index);
  checkEntry({ ...value, messages: [] }, index);
  for (const [at, message] of value['messages'].entries()) {
    const pause = pauses.next();
    if (pause !== undefined) await pause;
    checkMessage(message, `its entry ${index}: messages[${at}]`);
  }
  return value as unknown as ConversationEntry;
}

function checkEntry(value: unknown, index: number): ConversationEntry {
  const version: unknown = (value as { readonly version?: unknown } | null | undefined)?.version;
  if (typeof version === 'number' && version > VERSION) {
    throw invalidConversation(
      `the version of its entry ${index} is ${version}, but this package reads version ${VERSION}: update the package`,
    );
  }
  checkNesting(value);
  schemaCheck ??= jsonSchemaCheck(SCHEMA);
  const checked = schemaCheck.check(value);
  if (!checked.valid) throw invalidConversation(`its entry ${index}: ${checked.message}`);
  return value as ConversationEntry;
}

function checkMessage(message: unknown, where: string): void {
  // As deep as in the list of an entry.
  checkNesting([[message]]);
  messageCheck ??= jsonSchemaCheck(MESSAGE);
  const checked = messageCheck.check(message);
  if (!checked.valid) throw invalidConversation(`${where}: ${checked.message}`);
}

function entry(required: JsonObject, optional?: JsonObject): JsonObject {
  return object({ type: TEXT, runId: TEXT, ...required }, optional);
}
