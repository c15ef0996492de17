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
  expect(tools[299]?.inputSchema['properties']).toEqual({ q: { type: 'string' } });
  expect(reads()).toBe(1);
});
