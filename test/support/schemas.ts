import * as fc from 'fast-check';

/** A JSON Schema and a value, as data. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Schema = boolean | { [keyword: string]: Json };

const names = fc.constantFrom(
  ...['id', 'name', 'a', 'b', 'from', 'class', 'a-b', 'two words', '1', '$x', '', '"', '*/', 'é'],
  ...['constructor', 'toString', '__proto__', '\n', '\u2028', '__hidden', 'Order'],
);

const definitionNames = ['Order', 'tree-node', 'String', 'a/b c'] as const;

const scalars = fc.constantFrom<Json>('a', 'b "quoted"', 1, -2.5, true, false, null);

/** Object schemas with references into definitions, which may be recursive. */
export const documents: fc.Arbitrary<{ [keyword: string]: Json }> = fc
  .record({
    properties: properties(schemas(), 4),
    additionalProperties: fc.constantFrom<Json>(false, true, { type: 'string' }),
    required: fc.subarray(['id', 'name', 'a'], { maxLength: 2 }),
    $defs: fc.record(
      Object.fromEntries(definitionNames.map((name) => [name, definition()])) as Record<
        string,
        fc.Arbitrary<Json>
      >,
    ),
  })
  .map((document) => ({ type: 'object', ...document }));

function definition(): fc.Arbitrary<Json> {
  return fc.oneof(schemas(), objects(schemas()));
}

function properties(schema: fc.Arbitrary<Json>, maxKeys: number): fc.Arbitrary<Json> {
  return fc
    .array(fc.tuple(names, schema), { maxLength: maxKeys })
    .map((entries) => Object.fromEntries(entries));
}

function objects(schema: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .record(
      {
        properties: properties(schema, 3),
        required: fc.array(names, { maxLength: 2 }).map((list) => [...new Set(list)]),
        additionalProperties: fc.oneof(fc.boolean(), schema),
        patternProperties: fc.record({ '^x-': schema }),
        description: fc.constantFrom('One line.', 'Two\nlines */ and "quotes" """'),
      },
      { requiredKeys: [] },
    )
    .map((keywords) => ({ type: 'object', ...keywords }));
}

function schemas(): fc.Arbitrary<Json> {
  return fc.letrec<{ schema: Json }>((tie) => {
    const schema = tie('schema');
    const several = fc.array(schema, { minLength: 1, maxLength: 3 });
    return {
      schema: fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        fc.constantFrom<Json>(true, false, {}, { type: 'string', format: 'date' }),
        fc.constantFrom<Json>(
          { type: 'string', minLength: 1, description: 'Text.' },
          { type: 'integer', minimum: 0, nullable: true },
          { type: ['number', 'null'], default: 1 },
          { type: ['string', 'boolean', 'array'] },
        ),
        fc.constantFrom<Json>(
          ...definitionNames.map((name) => ({
            $ref: `#/$defs/${name.replace('/', '~1').replace(' ', '%20')}`,
          })),
          { $ref: '#' },
          { $ref: '#/$defs/Order', description: 'An order.' },
        ),
        fc.array(scalars, { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
        fc.record({ const: fc.oneof(scalars, fc.constantFrom<Json>({ a: [1] }, [], {})) }),
        schema.map((items) => ({ type: 'array', items })),
        fc
          .record({
            prefixItems: several,
            minItems: fc.nat(3),
            items: fc.oneof(fc.boolean(), schema),
          })
          .map((tuple) => ({ type: 'array', ...tuple })),
        objects(schema),
        objects(schema),
        several.map((anyOf) => ({ anyOf })),
        several.map((oneOf) => ({ oneOf })),
        fc
          .array(fc.oneof(objects(schema), schema), { minLength: 1, maxLength: 2 })
          .map((allOf) => ({
            allOf,
          })),
        fc
          .tuple(objects(schema), fc.array(objects(schema), { minLength: 1, maxLength: 2 }))
          .map(([base, anyOf]) => ({ ...(base as object), anyOf })),
      ) as fc.Arbitrary<Json>,
    };
  }).schema;
}

/**
 * A value that a schema is meant for, mostly: it has only the properties that the schema names, and
 * whether it is valid is for a validator to say.
 * @param choose - Gives a number from 0 to below its argument.
 */
export function valueFor(
  schema: Json,
  root: Schema,
  choose: (below: number) => number,
  depth = 0,
): Json | undefined {
  if (schema === true) return choose(2) === 0 ? 'any' : [1];
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema) || depth > 8) {
    return undefined;
  }
  const value = (part: Json): Json | undefined => valueFor(part, root, choose, depth + 1);
  const pick = (list: readonly Json[]): Json => list[choose(list.length)] ?? null;
  if (typeof schema['$ref'] === 'string') return value(target(schema['$ref'], root));
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return pick(schema['enum']);
  const parts: (Json | undefined)[] = [];
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) parts.push(value(pick(branches)));
  }
  if (Array.isArray(schema['allOf'])) parts.push(...schema['allOf'].map(value));
  const type = Array.isArray(schema['type']) ? pick(schema['type']) : schema['type'];
  if (schema['nullable'] === true && choose(3) === 0) return null;
  if (type === undefined) return parts.length === 0 ? 'any' : combine(parts);
  return combine([typedValue(type, schema, value, choose), ...parts]);
}

function typedValue(
  type: Json,
  schema: { [keyword: string]: Json },
  value: (part: Json) => Json | undefined,
  choose: (below: number) => number,
): Json | undefined {
  switch (type) {
    case 'string':
      return schema['format'] === 'date' ? '2026-01-02' : 'text';
    case 'integer':
    case 'number':
      return choose(9);
    case 'boolean':
      return choose(2) === 0;
    case 'null':
      return null;
    case 'array': {
      const { prefixItems, items } = schema;
      const tuple = Array.isArray(prefixItems) ? prefixItems : [];
      const others = items === undefined || items === false ? 0 : choose(3);
      const elements = [...tuple, ...Array.from({ length: others }, () => items ?? true)].map(
        value,
      );
      const shown = elements.slice(0, elements.length - choose(2));
      return shown.some((element) => element === undefined) ? [] : (shown as Json[]);
    }
    default: {
      const required = Array.isArray(schema['required']) ? schema['required'] : [];
      const known = Object.entries((schema['properties'] ?? {}) as { [name: string]: Json });
      const { additionalProperties: others } = schema;
      if (others !== undefined && others !== false)
        known.push(['another', others], ['x-1', others]);
      for (const name of required) {
        if (!known.some(([each]) => each === name)) known.push([name as string, others ?? true]);
      }
      const entries = known
        .filter(([name]) => name !== '__proto__' && (required.includes(name) || choose(3) > 0))
        .map(([name, property]) => [name, value(property)] as const);
      return Object.fromEntries(entries.filter(([, member]) => member !== undefined)) as Json;
    }
  }
}

/** Objects are put together; of anything else, the last counts. */
function combine(parts: readonly (Json | undefined)[]): Json | undefined {
  const known = parts.filter((part) => part !== undefined);
  const isObject = (part: Json): boolean =>
    typeof part === 'object' && part !== null && !Array.isArray(part);
  if (!known.every(isObject)) return known.at(-1);
  return known.length === 0 ? undefined : (Object.assign({}, ...known) as Json);
}

function target(reference: string, root: Schema): Json {
  if (reference === '#') return root;
  const name = reference.slice('#/$defs/'.length).replace('~1', '/').replace('%20', ' ');
  const { $defs } = root as { $defs: { [name: string]: Json } };
  return $defs[name] ?? true;
}
