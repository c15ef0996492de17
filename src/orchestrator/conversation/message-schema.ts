import type { JsonObject } from '../../shared/json/json.ts';

export const TEXT: JsonObject = { type: 'string' };

export const COUNT: JsonObject = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** Refers to `MESSAGE_DEFS`. */
export const MESSAGES_SCHEMA: JsonObject = { type: 'array', items: { $ref: '#/$defs/message' } };

export const USAGE_SCHEMA: JsonObject = object(
  { inputTokens: COUNT, outputTokens: COUNT, cachedInputTokens: COUNT },
  {
    cacheWriteInputTokens: COUNT,
    cacheWritesByTtl: { type: 'object', additionalProperties: COUNT },
    answersByServiceTier: { type: 'object', additionalProperties: COUNT },
  },
);

/** The sandbox that has the variables of a conversation's programs, if it is known. */
export const STATE_ID: JsonObject = { stateId: TEXT };

const IMAGE_MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

const ANSWER_BLOCKS = ['text', 'thinking', 'tool-use', 'opaque'];

/** The schemas of messages and their blocks, by their names in `$defs`. */
export const MESSAGE_DEFS: JsonObject = {
  message: {
    type: 'object',
    properties: { role: { enum: ['user', 'assistant'] } },
    required: ['role', 'content'],
    allOf: [
      ifIs('role', 'user', message(['text', 'image', 'document', 'tool-result'])),
      ifIs('role', 'assistant', message(ANSWER_BLOCKS, { model: TEXT })),
    ],
  },
  text: block('text', { text: TEXT }),
  image: {
    ...block(
      'image',
      {},
      {
        mediaType: { enum: IMAGE_MEDIA_TYPES },
        data: TEXT,
        url: TEXT,
      },
    ),
    ...urlOr(['data', 'mediaType']),
  },
  document: {
    ...block(
      'document',
      { mediaType: { enum: ['application/pdf', 'text/plain'] } },
      { title: TEXT, data: TEXT, url: TEXT, text: TEXT },
    ),
    allOf: [
      ifIs('mediaType', 'application/pdf', {
        properties: { text: false },
        ...urlOr(['data']),
      }),
      ifIs('mediaType', 'text/plain', {
        properties: { data: false, url: false },
        required: ['text'],
      }),
    ],
  },
  thinking: block('thinking', { thinking: TEXT, signature: TEXT }, { redactedData: TEXT }),
  'tool-use': block('tool-use', { id: TEXT, name: TEXT }, { input: { type: 'object' } }),
  'tool-result': block(
    'tool-result',
    { toolUseId: TEXT, text: TEXT, isError: { type: 'boolean' } },
    {
      images: {
        type: 'array',
        items: block('image', { mediaType: { enum: IMAGE_MEDIA_TYPES }, data: TEXT }),
      },
    },
  ),
  opaque: block('opaque', { value: { type: 'object' } }),
};

/** The schema of an object with the blocks of a model's answer. */
export const ANSWER_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...object({ content: { type: 'array', items: oneOfBlocks(ANSWER_BLOCKS) } }),
  $defs: MESSAGE_DEFS,
};

/** The schema of an object with a block of a run's input. */
export const INPUT_BLOCK_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...object({ block: oneOfBlocks(['text', 'image', 'document']) }),
  $defs: MESSAGE_DEFS,
};

/** The schema of an object with exactly these properties. */
export function object(required: JsonObject, optional: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

function block(type: string, required: JsonObject, optional?: JsonObject): JsonObject {
  return object({ type: { const: type }, ...required }, optional);
}

function message(types: readonly string[], optional?: JsonObject): JsonObject {
  const content = { type: 'array', items: oneOfBlocks(types) };
  return object({ role: TEXT, content }, optional);
}

/** One schema for each type of block, so that an error message is about the block's own type. */
function oneOfBlocks(types: readonly string[]): JsonObject {
  return {
    type: 'object',
    properties: { type: { enum: types } },
    required: ['type'],
    allOf: types.map((type) => ifIs('type', type, { $ref: `#/$defs/${type}` })),
  };
}

/** Either a URL and no data, or the properties that data needs. */
function urlOr(required: readonly string[]): JsonObject {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: { required: ['url'] }, then: { properties: { data: false } }, else: { required } };
}

/** Applies a schema only to objects whose property has this value. */
export function ifIs(name: string, value: string, schema: JsonObject): JsonObject {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: { properties: { [name]: { const: value } } }, then: schema };
}
