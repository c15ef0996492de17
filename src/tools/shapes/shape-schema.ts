import { isRecord } from '../../shared/guards.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import { invalidOption } from '../../shared/options/option-values.ts';
import { ResultShape } from './read-shape.ts';
import {
  emptyShape,
  isOptional,
  listOf,
  MAXIMUM_DEPTH,
  objectOf,
  SCALAR,
  type ObjectShape,
  type Shape,
} from './shape.ts';

const SCALAR_TYPES = Object.entries(SCALAR);
const ADVICE = 'Pass what observedShapes returned, or give the tool an outputSchema.';

/** How long the schema of a shape is at most, as JSON. */
const LONGEST_SCHEMA = 4096;

/**
 * A shape as JSON Schema. It has types, keys and no values; lengths are left out, and of a large one
 * the deepest parts.
 */
export function shapeSchema({ shape }: ResultShape): JsonObject {
  for (let levels = MAXIMUM_DEPTH; levels > 0; levels -= 1) {
    const schema = schemaOf(shape, levels);
    if (JSON.stringify(schema).length <= LONGEST_SCHEMA) return schema;
  }
  return schemaOf(shape, 0);
}

/** @param levels - How many levels of lists and objects it has with their parts. */
function schemaOf({ scalars, isUnknown, list, object }: Shape, levels: number): JsonObject {
  // It accepts any value.
  if (isUnknown) return {};
  const types = SCALAR_TYPES.filter(([, bit]) => (scalars & bit) !== 0).map(([name]) => name);
  const isNumber = types.includes('number');
  const all = [
    ...(object === undefined ? [] : ['object']),
    ...(list === undefined ? [] : ['array']),
    ...types.filter((name) => !(isNumber && name === 'integer')),
  ];
  const [only] = all;
  if (only === undefined) return {};
  return {
    type: all.length === 1 ? only : all,
    ...(object !== undefined && levels > 0 && objectKeywords(object, levels - 1)),
    ...(list !== undefined &&
      levels > 0 &&
      list.items.seen > 0 && { items: schemaOf(list.items, levels - 1) }),
  };
}

function objectKeywords(object: ObjectShape, levels: number): JsonObject {
  const { fields, others } = object;
  const properties = [...fields].map(([name, field]) => [name, schemaOf(field, levels)] as const);
  const required = [...fields].filter(([, field]) => !isOptional(object, field));
  return {
    ...(fields.size > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
    ...(others !== undefined && { additionalProperties: schemaOf(others, levels) }),
  };
}

/**
 * Reads a schema that `shapeSchema` wrote, within the same bounds.
 * @param name - What messages call it.
 * @throws PtcError `OPTION_INVALID` for any other schema.
 */
export function readShapeSchema(schema: unknown, name: string): ResultShape {
  const result = new ResultShape();
  new SchemaReader(result).read(schema, { shape: result.shape, name, depth: 0 });
  return result;
}

interface Place {
  readonly shape: Shape;
  readonly name: string;
  readonly depth: number;
}

const KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
]);

class SchemaReader {
  readonly #result: ResultShape;

  constructor(result: ResultShape) {
    this.#result = result;
  }

  read(schema: unknown, { shape, name, depth }: Place): void {
    if (!isRecord(schema)) throw invalidOption(name, schema, 'a JSON Schema', ADVICE);
    const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
    if (unknown !== undefined) {
      throw invalidOption(`${name}.${unknown}`, schema[unknown], 'left out', ADVICE);
    }
    shape.seen += 1;
    const types = [schema['type'] ?? []].flat();
    if (types.length === 0 || depth > MAXIMUM_DEPTH) {
      shape.isUnknown = true;
      return;
    }
    for (const type of types) {
      if (type === 'array') this.#readList(schema['items'], { shape, name, depth });
      else if (type === 'object') this.#readObject(schema, { shape, name, depth });
      else if (isScalar(type)) shape.scalars |= SCALAR[type];
      else throw invalidOption(`${name}.type`, type, 'a type of JSON', ADVICE);
    }
  }

  #readList(items: unknown, { shape, name, depth }: Place): void {
    const list = listOf(shape);
    if (items === undefined) return;
    this.read(items, { shape: list.items, name: `${name}.items`, depth: depth + 1 });
  }

  #readObject(schema: Readonly<Record<string, unknown>>, { shape, name, depth }: Place): void {
    const { properties = {}, required = [], additionalProperties: others } = schema;
    if (!isRecord(properties)) {
      throw invalidOption(`${name}.properties`, properties, 'an object', ADVICE);
    }
    if (!Array.isArray(required)) {
      throw invalidOption(`${name}.required`, required, 'an array of names', ADVICE);
    }
    const object = objectOf(shape);
    const names = new Set<unknown>(required);
    for (const [key, property] of Object.entries(properties)) {
      const value = this.#result.names.valueOf(object, key, depth);
      this.read(property, { shape: value, name: `${name}.properties.${key}`, depth: depth + 1 });
      // One that is optional was not in each object.
      if (!names.has(key)) value.seen = 0;
    }
    if (others !== undefined) {
      object.others ??= emptyShape();
      const place = {
        shape: object.others,
        name: `${name}.additionalProperties`,
        depth: depth + 1,
      };
      this.read(others, place);
      object.isMap = true;
    }
    object.seen = 1;
    object.members = [...object.fields.values()].reduce((sum, { seen }) => sum + seen, 0);
  }
}

function isScalar(type: unknown): type is keyof typeof SCALAR {
  return typeof type === 'string' && Object.hasOwn(SCALAR, type);
}
