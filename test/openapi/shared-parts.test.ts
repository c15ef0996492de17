import { expect, it } from 'vitest';
import { documentOf, toolsOf } from './support.ts';

const json = (schema: unknown): object => ({ content: { 'application/json': { schema } } });
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

const times = <Value>(count: number, make: (at: number) => [string, Value]): object =>
  Object.fromEntries(Array.from({ length: count }, (_value, at) => make(at)));

/** Counts how often a member of a part of a document is read. */
function countReads(part: object, name: PropertyKey): () => number {
  const value: unknown = Reflect.get(part, name);
  let reads = 0;
  Object.defineProperty(part, name, {
    enumerable: true,
    get: () => {
      reads += 1;
      return value;
    },
  });
  return () => reads;
}

it.each([{}, 1])(
  'does not read a long list again for each schema that refers to it [%j]',
  (element) => {
    const allOf = Array.from({ length: 5000 }, () => element);
    const readsOfLast = countReads(allOf, 4999);
    const properties = times(30, (at) => [`p${at}`, { allOf: [ref('Long')] }]);
    const schema = { type: 'object', minProperties: 0, properties };
    const post = { operationId: 'send', requestBody: json(schema) };
    const components = { schemas: { Long: { allOf } } };
    const [tool] = toolsOf(documentOf({ '/a': { post } }, { components }));
    expect(tool?.inputSchema['$defs']).toEqual({ Long: {} });
    expect(readsOfLast()).toBeLessThan(3);
  },
);

it('follows each reference once, however many operations have it', () => {
  const far = { q: { name: 'q', in: 'query', schema: { type: 'string' } } };
  const paths = times(300, (at) => [`/p${at}`, { get: { parameters: [{ $ref: '#/far/q' }] } }]);
  const document = documentOf(paths, { far });
  const reads = countReads(document, 'far');
  const tools = toolsOf(document);
  expect(tools).toHaveLength(300);
  expect(tools[299]?.inputSchema['properties']).toEqual({
    q: { type: ['string', 'null'] },
  });
  expect(reads()).toBe(1);
});

it('gives tools that need the same definitions one object, which nobody can change', () => {
  const schemas = {
    One: { type: 'object', properties: { two: ref('Two') } },
    Two: { type: 'object', properties: { id: { type: 'integer', readOnly: true } } },
  };
  const paths = times(2, (at) => [
    `/p${at}`,
    { post: { requestBody: json(ref('One')), responses: { 200: json({ items: ref('One') }) } } },
  ]);
  const [first, second] = toolsOf(documentOf(paths, { components: { schemas } }));
  const taken = first?.inputSchema['$defs'] as { Two: Record<string, unknown> };
  const returned = first?.outputSchema?.['$defs'];
  expect(taken).toEqual({ Two: { type: 'object' } });
  expect(returned).toMatchObject({ Two: { properties: { id: { type: 'integer' } } } });
  expect(second?.inputSchema['$defs']).toBe(taken);
  expect(second?.outputSchema?.['$defs']).toBe(returned);
  expect(() => {
    taken.Two['type'] = 'string';
  }).toThrow(TypeError);
});

it('gives each tool the definitions for which it has room', () => {
  const long = (name: string): object => ({ const: name + 'x'.repeat(25_000) });
  const schemas = { A: long('A'), B: long('B') };
  const parameter = (name: string, schema: object): object => ({ name, in: 'query', schema });
  const references = [parameter('a', ref('A')), parameter('b', ref('B'))];
  const lists = [
    references.toReversed(),
    [...references, parameter('c', { const: 'C' })],
    [...references, parameter('c', long('C'))],
    references.slice(0, 1),
  ];
  const paths = times(4, (at) => [`/p${at}`, { get: { parameters: lists[at] } }]);
  const tools = toolsOf(documentOf(paths, { components: { schemas } }));
  const { A, B } = schemas;
  expect(tools.map(({ inputSchema }) => inputSchema['$defs'])).toEqual([
    { B, A },
    { A, B },
    { A, B: {} },
    { A },
  ]);
});
