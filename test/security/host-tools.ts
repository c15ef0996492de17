import type { ToolDefinition } from '../../src/tools/define-tool.ts';

/** Patterns as authors write them. But for the first of them, each takes the square of a text's length or more. */
const PATTERNS = {
  plain: '^[a-z]+$',
  nested: '^(a+)+$',
  words: String.raw`^(\w+\s?)*$`,
  spaces: String.raw`\s+$`,
  mail: String.raw`^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}[a-z]{2,3}$`,
  ahead: '^(?=(a+)+$).*$',
  repeated: String.raw`^(.+)\1+$`,
};

const FORMATS = [
  ...['url', 'uri', 'uri-reference', 'uri-template', 'email', 'hostname', 'ipv4', 'ipv6'],
  ...['date-time', 'date', 'time', 'duration', 'uuid', 'regex', 'json-pointer', 'byte'],
];

const TEXT = { type: 'string' };
const FIFTY_TEXTS = Object.fromEntries(
  Array.from({ length: 50 }, (_, index) => [`property_${index}`, TEXT]),
);

/** A schema whose alternatives each hold the whole of it again. */
const EXPRESSION = {
  anyOf: [
    { type: 'string' },
    { type: 'object', properties: { not: { $ref: '#/$defs/expression' } }, required: ['not'] },
    {
      type: 'object',
      properties: { not: { $ref: '#/$defs/expression' }, and: TEXT },
      required: ['not', 'and'],
    },
    {
      type: 'object',
      properties: { not: { $ref: '#/$defs/expression' }, or: TEXT },
      required: ['not', 'or'],
    },
  ],
};

const shape = (kind: string, ...sizes: string[]): object => ({
  type: 'object',
  properties: {
    kind: { const: kind },
    ...Object.fromEntries(sizes.map((size) => [size, { type: 'number' }])),
  },
  required: ['kind', ...sizes],
  additionalProperties: false,
});

/** What arguments are checked against in tools that other people write, above all in MCP servers. */
const SCHEMAS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  map_of_lists: { additionalProperties: { type: 'array', items: TEXT } },
  map_of_records: {
    additionalProperties: {
      type: 'object',
      properties: FIFTY_TEXTS,
      required: Object.keys(FIFTY_TEXTS),
    },
  },
  nullable_list: {
    properties: { ids: { type: 'array', items: { anyOf: [TEXT, { type: 'null' }] } } },
  },
  shapes: {
    properties: {
      shapes: {
        type: 'array',
        items: {
          oneOf: [
            shape('circle', 'radius'),
            shape('box', 'width', 'height'),
            shape('ring', 'radius', 'hole'),
          ],
        },
      },
    },
  },
  unique_items: {
    properties: {
      objects: { type: 'array', uniqueItems: true, items: { type: 'object' } },
      anything: { type: 'array', uniqueItems: true },
    },
  },
  formats: {
    properties: Object.fromEntries(
      FORMATS.map((format) => [format.replaceAll('-', '_'), { type: 'string', format }]),
    ),
  },
  patterns: {
    properties: Object.fromEntries(
      Object.entries(PATTERNS).map(([name, pattern]) => [name, { type: 'string', pattern }]),
    ),
  },
  pattern_keys: {
    patternProperties: { [PATTERNS.nested]: TEXT, [PATTERNS.spaces]: TEXT },
    propertyNames: { maxLength: 200_000 },
  },
  closed: { properties: FIFTY_TEXTS, additionalProperties: false },
  tree: {
    $defs: {
      node: {
        type: 'object',
        properties: {
          value: TEXT,
          children: { type: 'array', items: { $ref: '#/$defs/node' } },
        },
        required: ['value'],
        additionalProperties: false,
      },
    },
    properties: { root: { $ref: '#/$defs/node' } },
  },
  expression: {
    $defs: { expression: EXPRESSION },
    properties: { where: { $ref: '#/$defs/expression' } },
  },
  choices: {
    properties: {
      choices: {
        type: 'array',
        items: { enum: Array.from({ length: 500 }, (_, index) => `choice number ${index}`) },
      },
    },
  },
  rows: {
    properties: {
      row: { type: 'array', prefixItems: [TEXT, { type: 'integer' }, TEXT], items: false },
    },
  },
  dependent: {
    properties: { pairs: { type: 'array', items: { $ref: '#/$defs/pair' } } },
    $defs: {
      pair: {
        type: 'object',
        dependentRequired: { card: ['address', 'name'] },
        dependentSchemas: { card: { properties: { address: TEXT, name: TEXT } } },
        if: { properties: { country: { const: 'DE' } } },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { properties: { code: { type: 'string', pattern: '^[0-9]{5}$' } } },
        else: { properties: { code: { type: 'string', maxLength: 10 } } },
      },
    },
  },
  unevaluated: {
    allOf: [
      { properties: { a: TEXT } },
      { anyOf: [{ properties: { b: TEXT }, required: ['b'] }, { properties: { c: TEXT } }] },
    ],
    unevaluatedProperties: false,
  },
  counted: {
    properties: {
      numbers: {
        type: 'array',
        items: { type: 'number', multipleOf: 0.01, minimum: 0, exclusiveMaximum: 1e9 },
        contains: { const: 7 },
        minContains: 2,
      },
      named: { type: 'object', propertyNames: { pattern: PATTERNS.plain }, maxProperties: 10 },
    },
  },
};

/** Tools with every kind of JSON Schema. Each answers `taken`. */
export const JSON_SCHEMA_TOOLS: readonly ToolDefinition[] = Object.entries(SCHEMAS).map(
  ([name, schema]) => ({
    name,
    description: 'Takes what it is given.',
    inputSchema: { type: 'object', ...schema },
    run: () => 'taken',
  }),
);

/** A value in so many lists and objects. */
function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const RESULTS: Readonly<Record<string, () => unknown>> = {
  // Parsed, so that the names are keys.
  prototype: () =>
    JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"hasOwnProperty":1}',
    ),
  deep: () => nested(60),
  too_deep: () => nested(10_000),
  large: () => Array.from({ length: 500 }, (_, id) => ({ id, text: 'x'.repeat(100_000) })),
  // Letters only, as names of fields.
  many_keys: () =>
    Object.fromEntries(
      Array.from({ length: 50_000 }, (_, id) => [
        id.toString(8).replaceAll(/\d/g, (digit) => 'abcdefgh'.charAt(Number(digit))),
        id,
      ]),
    ),
};

/** A tool with results of which it is hard to keep the shape. */
export const STRANGE_RESULTS: ToolDefinition = {
  name: 'strange_result',
  description: 'Gives a result of one kind.',
  inputSchema: { type: 'object', properties: { kind: { enum: Object.keys(RESULTS) } } },
  run: (input) => RESULTS[(input as { kind: string }).kind]?.(),
};
