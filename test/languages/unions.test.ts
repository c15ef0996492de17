import { expect, test } from 'vitest';
import { bash } from '../../src/languages/bash/bash.ts';
import { python } from '../../src/languages/python/python.ts';
import { typescript } from '../../src/languages/typescript/typescript.ts';
import { toTool } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { readParameters } from '../support/read-parameters.ts';

function tool(inputSchema: object): Tool {
  return toTool({
    name: 'tool',
    description: 'Does it.',
    inputSchema: { type: 'object', ...inputSchema },
    run: () => 1,
  });
}

const circle = { properties: { kind: { const: 'circle' }, radius: { type: 'number' } } };
const square = { properties: { kind: { const: 'square' }, side: { type: 'number' } } };
const shapes = [
  { ...circle, required: ['kind', 'radius'] },
  { ...square, required: ['kind'] },
];

test('arguments that only branches of a union name are parameters', () => {
  const one = tool({ properties: { name: { type: 'string' } }, oneOf: shapes });
  expect(python.documentation([one])).toContain(
    'tool(kind: Literal["circle", "square"], name: str = ..., radius: float = ..., side: float = ...)',
  );
  expect(bash.documentation([one])).toContain(
    'tool --kind <"circle"|"square"> [--name <string>] [--radius <number>] [--side <number>]',
  );
  for (const { stubs } of [python, bash]) {
    const names = readParameters(stubs([one])[0]).map(({ name }) => name);
    expect(names).toEqual(['kind', 'name', 'radius', 'side']);
  }
});

test.for<[object, string]>([
  [
    { type: 'object', oneOf: shapes },
    '{"kind": Literal["circle"], "radius": float} | {"kind": Literal["square"], "side": NotRequired[float]}',
  ],
  [
    {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      anyOf: [{ properties: { a: { type: 'string' } } }, { required: ['b'] }],
    },
    '{"id": str} & ({"a": NotRequired[str]} | dict)',
  ],
  [
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    '{"a": NotRequired[str], "b": NotRequired[str]}',
  ],
  [
    { type: 'object', anyOf: [{ properties: { a: { type: 'string' } } }, true] },
    '{"a": NotRequired[str]} | dict',
  ],
  [
    {
      type: 'object',
      properties: { id: { type: 'string' } },
      anyOf: [{ properties: { a: { type: 'string' } } }, { type: 'string' }, false],
    },
    '{"id": NotRequired[str]} & {"a": NotRequired[str]}',
  ],
  [
    {
      type: 'object',
      properties: { id: { type: 'string' } },
      anyOf: [
        { anyOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: {} } }] },
        { type: 'null' },
      ],
    },
    '{"id": NotRequired[str]} & ({"a": NotRequired[str]} | {"b": NotRequired[Any]})',
  ],
  [
    { type: ['object', 'null'], anyOf: [{ properties: { a: {} } }, { type: 'null' }] },
    '{"a": NotRequired[Any]} | None',
  ],
  [
    { type: 'object', oneOf: [{ $ref: '#/$defs/Node' }, circle] },
    'Node | {"kind": NotRequired[Literal["circle"]], "radius": NotRequired[float]}',
  ],
  [
    {
      type: 'object',
      patternProperties: { '^n-': { type: 'number' }, '^s-': { type: 'string' } },
      additionalProperties: { type: 'boolean' },
    },
    'dict[str, float | str | bool]',
  ],
])('Python shows all that %o allows', ([schema, type]) => {
  const $defs = { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } };
  const one = tool({ properties: { a: schema }, $defs });
  expect(python.documentation([one])).toContain(`tool(a: ${type} = ...)`);
});

test.for([python, bash, typescript])(
  'nothing in a schema is hidden from who reads $name',
  (language) => {
    const characters = ['\u202e', '\u3164', '\u{e0041}', '\u001b'];
    const hidden = `x${characters.join('')}`;
    const a = {
      ...{ type: 'string', enum: [hidden], pattern: hidden, format: hidden, default: hidden },
      description: hidden,
    };
    const inputSchema = { type: 'object', properties: { a, [hidden]: { const: hidden } } };
    const one = toTool(
      { name: 'tool', description: 'Does it.', inputSchema, run: () => 1 },
      'first call',
    );
    const text = language.documentation([one]);
    expect(characters.filter((character) => text.includes(character))).toEqual([]);
    expect(text).toContain('x');
  },
);
