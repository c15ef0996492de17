import { jsonSchemaCheck, type JsonSchemaCheck } from '../../tools/schema/json-schema-validator.ts';
import type { LoopPauses } from '../../shared/async/loop-pauses.ts';
import { isRecord } from '../../shared/guards.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import { checkNesting, invalidConversation } from '../conversation/conversation-document.ts';
import {
  COUNT,
  ifIs,
  MESSAGE_DEFS,
  object,
  STATE_ID,
  TEXT,
  USAGE_SCHEMA,
} from '../conversation/message-schema.ts';
import { INPUT_FILES_SCHEMA } from '../files/input-file.ts';
import type { ConversationEntry } from './conversation-store.ts';

const VERSION = 1;

const TIME = { type: 'number' };

/** Each is checked by itself. */
const MESSAGES = { type: 'array' };

const CALL = { toolUseId: TEXT, callId: TEXT };

const ENTRIES: Readonly<Record<ConversationEntry['type'], JsonObject>> = {
  'run-started': entry({ version: { const: VERSION }, occurredAtMs: TIME }),
  messages: entry(
    {
      from: COUNT,
      messages: MESSAGES,
      usage: USAGE_SCHEMA,
      hasState: { type: 'boolean' },
    },
    STATE_ID,
  ),
  'messages-part': entry({ messages: MESSAGES }),
  'input-files': entry({ files: INPUT_FILES_SCHEMA }),
  'tool-call-deferred': entry({ ...CALL, toolName: TEXT, arguments: TEXT }),
  'tool-call-started': entry({ ...CALL, toolName: TEXT, arguments: TEXT }),
  'tool-call-ended': entry(CALL, { result: TEXT, error: object({ type: TEXT, message: TEXT }) }),
  'run-ended': entry({ occurredAtMs: TIME }, { error: TEXT }),
};

const SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { type: { enum: Object.keys(ENTRIES) } },
  required: ['type'],
  allOf: Object.entries(ENTRIES).map(([type, schema]) => ifIs('type', type, schema)),
};

const MESSAGE: JsonObject = {
  $schema: SCHEMA['$schema'] as string,
  $ref: '#/$defs/message',
  $defs: MESSAGE_DEFS,
};

interface Checks {
  readonly entry: JsonSchemaCheck;
  readonly message: JsonSchemaCheck;
}

let compiled: Checks | undefined;

/**
 * Validates an entry from a store, which may be untrusted, with pauses between its messages. The
 * first call compiles the schemas.
 * @param index - The index of the entry in its conversation.
 * @throws PtcError `CONVERSATION_INVALID` with the reason.
 */
export async function readEntry(
  value: unknown,
  index: number,
  pauses: LoopPauses,
): Promise<ConversationEntry> {
  const checks = compiled ?? (await compileWithPauses(pauses));
  if (!isRecord(value) || !Array.isArray(value['messages'])) {
    return checkEntry(checks, value, index);
  }
  checkEntry(checks, { ...value, messages: [] }, index);
  for (const [at, message] of value['messages'].entries()) {
    const pause = pauses.next();
    if (pause !== undefined) await pause;
    checkMessage(checks, message, `its entry ${index}: messages[${at}]`);
  }
  return value as unknown as ConversationEntry;
}

async function compileWithPauses(pauses: LoopPauses): Promise<Checks> {
  // The first schema of a process takes as long as the two others, because it loads the compiler.
  jsonSchemaCheck({ type: 'object' });
  await pauses.next();
  const ofEntry = jsonSchemaCheck(SCHEMA);
  await pauses.next();
  const message = jsonSchemaCheck(MESSAGE);
  await pauses.next();
  compiled = { entry: ofEntry, message };
  return compiled;
}

function checkEntry({ entry: check }: Checks, value: unknown, index: number): ConversationEntry {
  const version: unknown = (value as { readonly version?: unknown } | null | undefined)?.version;
  if (typeof version === 'number' && version > VERSION) {
    throw invalidConversation(
      `the version of its entry ${index} is ${version}, but this package reads version ${VERSION}: update the package`,
    );
  }
  checkNesting(value);
  const checked = check.check(value);
  if (!checked.valid) throw invalidConversation(`its entry ${index}: ${checked.message}`);
  return value as ConversationEntry;
}

function checkMessage({ message: check }: Checks, message: unknown, where: string): void {
  // As deep as in the list of an entry.
  checkNesting([[message]]);
  const checked = check.check(message);
  if (!checked.valid) throw invalidConversation(`${where}: ${checked.message}`);
}

function entry(required: JsonObject, optional?: JsonObject): JsonObject {
  return object({ type: TEXT, runId: TEXT, ...required }, optional);
}
