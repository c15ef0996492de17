import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/languages/languages.ts';
import {
  checkedDeclarations,
  declarations,
} from '../../../src/languages/typescript/declarations.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { observeResult } from '../../../src/tools/shapes/observed-shapes.ts';
import type { ObservedShapes } from '../../../src/tools/shapes/observed-tools.ts';
import { ResultShape } from '../../../src/tools/shapes/read-shape.ts';
import { readShapeSchema, shapeSchema } from '../../../src/tools/shapes/shape-schema.ts';

const GET_ORDERS = { name: 'get_orders', description: 'Lists orders.', run: () => null };
const ORDERS = [
  { id: 1, customer: { name: 'Ada' }, note: 'x' },
  { id: 2.5, customer: { name: null } },
];
const ORDERS_SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      id: { type: 'number' },
      customer: {
        type: 'object',
        properties: { name: { type: ['null', 'string'] } },
        required: ['name'],
      },
      note: { type: 'string' },
    },
    required: ['id', 'customer'],
  },
};

/** Shows a registry a result of its tool. */
function show(tools: ToolRegistry, name: string, result: unknown): void {
  const tool = tools.get(name);
  if (tool === undefined) throw new Error(`There is no ${name}.`);
  observeResult(tool, JSON.stringify(result));
}

/** The same shapes, as the next process reads them. */
function saved(shapes: ObservedShapes): ObservedShapes {
  return JSON.parse(JSON.stringify(shapes)) as ObservedShapes;
}

describe('the shapes that a registry has observed', () => {
  it('are JSON Schema, of the tools without an output schema that were called', () => {
    const tools = new ToolRegistry([
      GET_ORDERS,
      { ...GET_ORDERS, name: 'never_called' },
      { ...GET_ORDERS, name: 'with_schema', outputSchema: { type: 'array' } },
    ]);
    show(tools, 'get_orders', ORDERS);
    show(tools, 'with_schema', ORDERS);
    expect(tools.observedShapes()).toEqual({ get_orders: ORDERS_SCHEMA });
  });

  it('are those of this registry and of what it extends', () => {
    const base = new ToolRegistry([{ ...GET_ORDERS, name: 'a' }]);
    const tools = new ToolRegistry(base);
    tools.register({ ...GET_ORDERS, name: 'b' });
    show(tools, 'a', 1);
    show(tools, 'b', 'x');
    expect(base.observedShapes()).toEqual({ a: { type: 'integer' } });
    expect(tools.observedShapes()).toEqual({ a: { type: 'integer' }, b: { type: 'string' } });
  });

  it('do not change what models are told in this process', () => {
    const tools = new ToolRegistry([GET_ORDERS]);
    const [tool] = tools.list();
    const texts = (): string[] =>
      Object.values(LANGUAGES).map(({ documentation }) => documentation(tools.forCaller('code')));
    const before = texts();
    show(tools, 'get_orders', ORDERS);
    expect(texts()).toEqual(before);
    expect(tools.list()[0]).toBe(tool);
  });

  it('grow in the next process, and are the same if nothing new is seen', () => {
    const first = new ToolRegistry([GET_ORDERS]);
    show(first, 'get_orders', ORDERS);
    const next = new ToolRegistry([GET_ORDERS], { observedShapes: saved(first.observedShapes()) });
    expect(next.observedShapes()).toEqual({ get_orders: ORDERS_SCHEMA });
    show(next, 'get_orders', ORDERS);
    expect(next.observedShapes()).toEqual({ get_orders: ORDERS_SCHEMA });
    show(next, 'get_orders', [{ id: 'a', more: true }]);
    const { items } = next.observedShapes()['get_orders'] as typeof ORDERS_SCHEMA;
    expect(items.properties).toMatchObject({
      id: { type: ['number', 'string'] },
      more: { type: 'boolean' },
    });
    expect(items.required).toEqual(['id']);
  });

  it('are looked at only in part if a result is large', () => {
    const tools = new ToolRegistry([GET_ORDERS]);
    const text = JSON.stringify(Array.from({ length: 100_000 }, () => ({ id: 1 })));
    const tool = tools.get('get_orders');
    if (tool !== undefined) observeResult(tool, `${text.slice(0, -1)},{"last":1}]`);
    expect(tools.observedShapes()['get_orders']).toEqual({
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    });
  });
});

describe('a shape as JSON Schema', () => {
  it.each<[unknown, object]>([
    [null, { type: 'null' }],
    [[], { type: 'array' }],
    [{}, { type: 'object' }],
    [
      [1, 'a', {}, []],
      { type: 'array', items: { type: ['object', 'array', 'integer', 'string'] } },
    ],
    [{ 'a@b.c': 1 }, { type: 'object', additionalProperties: { type: 'integer' } }],
    [
      { id: 1, 'a@b.c': 'x' },
      {
        type: 'object',
        properties: { id: { type: 'integer' } },
        required: ['id'],
        additionalProperties: { type: 'string' },
      },
    ],
  ])('of %j', (result, schema) => {
    const shape = new ResultShape();
    shape.read(JSON.stringify(result));
    expect(shapeSchema(shape)).toEqual(schema);
    expect(shapeSchema(readShapeSchema(schema, 'schema'))).toEqual(schema);
  });

  it('can be read again, with the same meaning, for any shape', () => {
    const values = [
      ...[ORDERS, { a: [[[[[[1]]]]]] }, [{ a: 1 }, { b: 1 }, null], { größe: { 'a b': [] } }],
      ...['x', 1, 1.5, true, [1, [2]], [{ a: {} }, { a: [] }, { a: null }]],
    ];
    for (const one of values) {
      for (const other of values) {
        const shape = new ResultShape();
        shape.read(JSON.stringify(one));
        shape.read(JSON.stringify(other));
        const schema = shapeSchema(shape);
        expect(shapeSchema(readShapeSchema(JSON.parse(JSON.stringify(schema)), 's'))).toEqual(
          schema,
        );
      }
    }
  });

  it('has at most 4 kB, and what is left out are the deepest parts', () => {
    const shape = new ResultShape();
    const wide = (depth: number): object =>
      Object.fromEntries(
        Array.from('abcdefgh', (letter) => [
          letter.repeat(20),
          depth === 0 ? [null, 1, 'x', [true]] : [wide(depth - 1)],
        ]),
      );
    shape.read(JSON.stringify(wide(3)));
    const schema = shapeSchema(shape);
    expect(JSON.stringify(schema).length).toBeLessThanOrEqual(4096);
    expect(Object.keys(schema['properties'] ?? {})).toHaveLength(8);
  });
});

describe('shapes that are given to a registry', () => {
  const observedShapes = saved({ get_orders: ORDERS_SCHEMA, other: { type: 'string' } });
  const tools = new ToolRegistry(
    [GET_ORDERS, { ...GET_ORDERS, name: 'with_schema', outputSchema: { type: 'string' } }],
    { observedShapes: { ...observedShapes, with_schema: { type: 'array' } } },
  );

  it('are in the signatures of the languages, marked as observed', () => {
    const documented = (name: keyof typeof LANGUAGES): string =>
      LANGUAGES[name].documentation(tools.forCaller('code'));
    expect(documented('python')).toContain(
      'async def get_orders() -> list[{"id": float, "customer": {"name": str | None}, "note": NotRequired[str]}]:  # observed\n',
    );
    expect(documented('python')).toContain('async def with_schema() -> str:\n');
    expect(documented('python')).toMatch(/^# observed: what earlier results had/);
    for (const language of ['typescript', 'javascript'] as const) {
      expect(documented(language)).toMatch(
        /^declare function get_orders\(input\?: \{\}\): Promise<\{ id: number; customer: \{ name: string \| null \}; note\?: string \}\[\]>; \/\/ observed$/m,
      );
      expect(documented(language)).toMatch(/with_schema\(input\?: \{\}\): Promise<string>;$/m);
    }
    expect(documented('bash')).toContain(
      'Prints: [{"id": number, "customer": {"name": null|string}, "note"?: string}]  # observed',
    );
  });

  it('are in what programs read with help()', () => {
    const { documented } = LANGUAGES.python;
    const [stub] = documented?.stubs(tools.forCaller('code')) ?? [];
    expect(stub?.documentation).toMatch(/^get_orders\(\) -> list\[.*\]  # observed\n/);
  });

  it('are not there without the option, and the note neither', () => {
    const plain = new ToolRegistry([GET_ORDERS]);
    for (const { documentation } of Object.values(LANGUAGES)) {
      expect(documentation(plain.forCaller('code'))).not.toContain('observed');
    }
  });

  it('decide nothing in the type check of programs: later results may have more', () => {
    const list = tools.forCaller('code');
    const plain = new ToolRegistry(list.map((tool) => ({ ...tool, observedSchema: undefined })));
    expect(checkedDeclarations(list)).toBe(declarations(plain.forCaller('code')));
    expect(checkedDeclarations(list)).toContain('get_orders(input?: {}): Promise<any>;\n');
  });

  it('stay with copies of the registry, and with what extends it', () => {
    for (const other of [tools.copy(), new ToolRegistry(tools)]) {
      expect(other.get('get_orders')?.observedSchema).toEqual(ORDERS_SCHEMA);
    }
    expect(tools.get('get_orders')).toBe(tools.get('get_orders'));
    expect(tools.snapshot()).toBe(tools.snapshot());
  });

  it('are those of tools of sources too', () => {
    const registry = new ToolRegistry([], { observedShapes: { 'shop:list': { type: 'string' } } });
    registry.addSource({ name: 'shop', tools: () => [{ ...GET_ORDERS, name: 'list' }] });
    expect(registry.get('shop:list')?.observedSchema).toEqual({ type: 'string' });
  });

  it.each<[string, unknown, string]>([
    ['text', 'x', 'observedShapes.a must be a JSON Schema'],
    [
      'a schema with other keywords',
      { type: 'string', enum: ['S3CRET'] },
      'observedShapes.a.enum must be left out',
    ],
    [
      'a description',
      { type: 'array', items: { description: 'x' } },
      'observedShapes.a.items.description must',
    ],
    ['an unknown type', { type: 'float' }, 'observedShapes.a.type must be a type of JSON'],
    [
      'properties that are not an object',
      { type: 'object', properties: 1 },
      'observedShapes.a.properties must',
    ],
    [
      'required that is not an array',
      { type: 'object', required: 1 },
      'observedShapes.a.required must',
    ],
  ])('are refused if they are not what observedShapes returned: %s', (_what, schema, message) => {
    const make = (): unknown =>
      new ToolRegistry([], { observedShapes: { a: schema } as ObservedShapes });
    expect(make).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('are bounded as shapes that are seen, however deep and wide they are', () => {
    let deep: object = { type: 'string' };
    for (let depth = 0; depth < 10_000; depth += 1) deep = { type: 'array', items: deep };
    const properties = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [
        `k${'x'.repeat(index % 30)}${index % 999}`,
        deep,
      ]),
    );
    const shapes = {
      a: { type: 'object', properties, required: Object.keys(properties) },
    } as unknown as ObservedShapes;
    const registry = new ToolRegistry([{ ...GET_ORDERS, name: 'a' }], { observedShapes: shapes });
    expect(JSON.stringify(registry.get('a')?.observedSchema).length).toBeLessThan(4096);
  });
});
