import { isRecord } from '../../shared/guards.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import { elements, flatten, typesOf } from './json-schema.ts';

/** Deeper parts are not shown: a shape must be readable at a glance. */
const MAXIMUM_DEPTH = 5;
/** References can make a small schema expand to a huge one. */
const MAXIMUM_PARTS = 200;
/** How many values of an enumeration are shown. */
const MAXIMUM_VALUES = 20;

interface Scope {
  readonly root: JsonObject;
  readonly depth: number;
  /** The references that led here: a recursive type is shown once. */
  readonly references: ReadonlySet<string>;
  /** How many more parts may be shown, here and elsewhere. */
  readonly remaining: { parts: number };
}

/**
 * The shape of the JSON that a schema describes, such as `{"id": string, "tags"?: [string],
 * "state": "open"|"done"}`.
 */
export function jsonShape(source: JsonValue, root: JsonObject): string {
  return shapeWithin(source, {
    root,
    depth: 0,
    references: new Set(),
    remaining: { parts: MAXIMUM_PARTS },
  });
}

function shapeWithin(source: JsonValue, scope: Scope): string {
  const { schema, unions, references } = flatten(source, scope.root, scope.references);
  if (schema === false) return 'nothing';
  scope.remaining.parts -= 1;
  if (schema === true || scope.depth >= MAXIMUM_DEPTH || scope.remaining.parts < 0) return 'any';
  const { const: constant, enum: values } = schema;
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values) && values.length <= MAXIMUM_VALUES) {
    return unite(values.map((value) => JSON.stringify(value)));
  }
  const inner = { ...scope, depth: scope.depth + 1, references };
  const [branches] = unions;
  if (branches !== undefined) return unite(branches.map((branch) => shapeWithin(branch, inner)));
  return unite(typesOf(schema).map((type) => shapeOfType(type, schema, inner)));
}

function shapeOfType(type: string, schema: JsonObject, inner: Scope): string {
  const { items, properties, additionalProperties: others } = schema;
  if (type === 'array') return `[${items === undefined ? 'any' : shapeWithin(items, inner)}]`;
  if (type !== 'object') return type;
  const required = new Set(elements(schema['required']));
  const members: string[] = [];
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
    if (inner.remaining.parts <= 0) {
      members.push('…');
      break;
    }
    const mark = required.has(name) ? '' : '?';
    members.push(`${JSON.stringify(name)}${mark}: ${shapeWithin(property, inner)}`);
  }
  if (isRecord(others)) members.push(`...: ${shapeWithin(others, inner)}`);
  return members.length === 0 ? 'object' : `{${members.join(', ')}}`;
}

/**
 * The JSON types that a schema accepts, and for a list, those of its items; empty if it accepts
 * any.
 */
export function jsonTypes(source: JsonValue, root: JsonObject, depth: number = 0): string[] {
  const { schema, unions } = flatten(source, root);
  if (typeof schema === 'boolean' || depth >= MAXIMUM_DEPTH) return [];
  const { const: constant, enum: values, items } = schema;
  const examples = constant === undefined ? elements(values) : [constant];
  let types = typesOf(schema);
  if (types.length === 0) types = examples.map(typeOf);
  if (types.length === 0) {
    types = elements(unions[0]).flatMap((branch) => jsonTypes(branch, root, depth + 1));
  }
  const ofItems = items === undefined ? [] : jsonTypes(items, root, depth + 1);
  return [...new Set([...types, ...(types.includes('array') ? ofItems : [])])];
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function unite(shapes: readonly string[]): string {
  return [...new Set(shapes)].join('|') || 'any';
}
