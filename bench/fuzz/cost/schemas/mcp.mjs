// JSON Schemas as tools of MCP servers have them.

const string = { type: 'string' };
const boolean = { type: 'boolean' };
const strings = { type: 'array', items: string };
const nullable = { anyOf: [string, { type: 'null' }] };

function object(properties, required = Object.keys(properties)) {
  return { type: 'object', properties, required, additionalProperties: false };
}

export const MCP_SCHEMAS = {
  'read file': object({ path: string, head: { type: 'number' }, tail: { type: 'number' } }, [
    'path',
  ]),
  'read files': object({ paths: { ...strings, minItems: 1 } }),
  'edit file': object(
    {
      path: string,
      edits: { type: 'array', items: object({ oldText: string, newText: string }) },
      dryRun: { ...boolean, default: false },
    },
    ['path', 'edits'],
  ),
  'search files': object({ path: string, pattern: string, excludePatterns: strings }, ['path']),
  'create entities': object({
    entities: {
      type: 'array',
      items: object({ name: string, entityType: string, observations: strings }),
    },
  }),
  'create relations': object({
    relations: { type: 'array', items: object({ from: string, to: string, relationType: string }) },
  }),
  'fetch page': object(
    {
      url: { type: 'string', format: 'uri', minLength: 1 },
      max_length: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 1_000_000 },
      start_index: { type: 'integer', minimum: 0 },
      raw: boolean,
    },
    ['url'],
  ),
  'push files': object({
    owner: string,
    repo: string,
    branch: string,
    files: { type: 'array', items: object({ path: string, content: string }) },
    message: string,
  }),
  'think in steps': object(
    {
      thought: string,
      nextThoughtNeeded: boolean,
      thoughtNumber: { type: 'integer', minimum: 1 },
      revisesThought: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
    },
    ['thought', 'nextThoughtNeeded', 'thoughtNumber'],
  ),
  'list with nulls': {
    type: 'object',
    properties: { ids: { type: 'array', items: nullable }, cursor: nullable },
  },
  'query database': object(
    {
      sql: string,
      params: {
        type: 'array',
        items: { anyOf: [string, { type: 'number' }, boolean, { type: 'null' }] },
      },
    },
    ['sql'],
  ),
  'set tags': { type: 'object', additionalProperties: strings },
  'post message': object(
    {
      channel: { type: 'string', pattern: '^[CDG][A-Z0-9]{8,}$' },
      blocks: {
        type: 'array',
        items: {
          oneOf: [
            object({ type: { const: 'section' }, text: string, fields: strings }, ['type', 'text']),
            object({ type: { const: 'divider' } }),
            object({ type: { const: 'image' }, url: { type: 'string', format: 'uri' } }),
          ],
        },
      },
    },
    ['channel'],
  ),
  'click and type': object({
    actions: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          kind: { enum: ['click', 'type', 'press', 'hover', 'select'] },
          selector: string,
          modifiers: { type: 'array', items: { enum: ['Alt', 'Control', 'Meta', 'Shift'] } },
          values: { type: ['array', 'string', 'null'], items: string },
        },
        required: ['kind', 'selector'],
      },
    },
  }),
};
