import { describe, expect, test } from 'vitest';
import { bash } from '../../src/languages/bash/bash.ts';
import { python } from '../../src/languages/python/python.ts';
import { pythonType } from '../../src/languages/python/types.ts';
import { Definitions, documentOf } from '../../src/languages/schema/definitions.ts';
import { flatten } from '../../src/languages/schema/json-schema.ts';
import { rootPropertiesOf } from '../../src/languages/schema/root-properties.ts';
import type { JsonObject } from '../../src/shared/json/json.ts';
import { toTool } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { costOfGrowth, LINEAR } from '../fuzz/judgements.ts';
import { readParameters } from '../support/read-parameters.ts';

function requiring(required: readonly string[]): Tool {
  return toTool({
    name: 'tool',
    description: 'Does it.',
    inputSchema: { type: 'object', required: [...required] },
    run: () => 1,
  });
}

/** Different names, which all become `__`: no language has these characters in names. */
function similarNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    String.fromCodePoint(0x25_00 + (index % 256), 0x25_00 + Math.floor(index / 256)),
  );
}

describe('parameters whose names become the same', () => {
  test.for([python, bash])('are numbered in $name', (language) => {
    const [stub] = language.stubs([requiring(['──', '══', '━━', '--'])]);
    const identifiers = readParameters(stub).map(({ identifier }) => identifier);
    expect(identifiers).toEqual(['__', '___2', '___3', '___4']);
  });

  test.for([python, bash])(
    'cost a time that grows with their number in $name',
    async ({ stubs }) => {
      const cost = await costOfGrowth(400, (count) => stubs([requiring(similarNames(count))]));
      expect(cost).toBeLessThan(LINEAR);
    },
  );
});

test('many branches of an object with many properties cost a time that grows with their number', async () => {
  const names = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, true]));
  const branches = (count: number): JsonObject => ({
    anyOf: Array.from({ length: count }, () => ({ $ref: '#/$defs/all' })),
    $defs: { all: { properties: names(count) } },
  });
  expect([...rootPropertiesOf(branches(2)).properties]).toEqual([
    ['p0', true],
    ['p1', true],
  ]);
  expect(await costOfGrowth(200, (count) => rootPropertiesOf(branches(count)))).toBeLessThan(
    LINEAR,
  );
  const inObject = (count: number): JsonObject => ({
    type: 'object',
    properties: names(count),
    anyOf: Array.from({ length: count }, () => ({ properties: { other: true } })),
  });
  const cost = await costOfGrowth(200, (count) => {
    pythonType(inObject(count), documentOf({}), new Definitions([], () => ''));
  });
  expect(cost).toBeLessThan(LINEAR);
});

test('properties in many parts of a schema cost a time that grows with their number', async () => {
  const inParts = (count: number): JsonObject => ({
    allOf: Array.from({ length: count }, (_, index) => ({
      properties: { [`p${index}`]: { type: 'string' } },
      required: [`p${index}`],
    })),
  });
  const type = 'string';
  expect(flatten(inParts(2), {}).schema).toEqual({
    properties: { p0: { type }, p1: { type } },
    required: ['p0', 'p1'],
  });
  expect(await costOfGrowth(200, (count) => flatten(inParts(count), {}))).toBeLessThan(LINEAR);
});

test.for([python, bash])(
  'branches that add to the same many properties cost a time that grows with their number in $name',
  async ({ documentation }) => {
    const withBranches = (count: number): Tool => {
      const many = Array.from({ length: count * 150 }, (_, index) => [`p${index}`, true] as const);
      const anyOf = Array.from({ length: count }, (_, index) => ({
        $ref: '#/$defs/many',
        properties: { [`own${index}`]: true },
      }));
      const inputSchema = {
        type: 'object',
        properties: { a: { type: 'object', anyOf } },
        $defs: { many: { properties: Object.fromEntries(many) } },
      };
      const definition = { name: 'tool', description: 'Does it.', run: () => 1 };
      return toTool({ ...definition, inputSchema }, 'first call');
    };
    const cost = await costOfGrowth(5, (count) => {
      const tool = withBranches(count);
      documentation([tool], [tool]);
    });
    expect(cost).toBeLessThan(LINEAR);
  },
);
