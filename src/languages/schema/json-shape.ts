import { escapeControls } from '../../shared/control-characters.ts';
import { isRecord } from '../../shared/guards.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import { elements, flatten, MAXIMUM_ALTERNATIVES, typesOf } from './json-schema.ts';
import { shownJson } from './shown-json.ts';

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
  if (constant !== undefined) return shownJson(constant);
  if (Array.isArray(values) && values.length <= MAXIMUM_VALUES) {
    return unite(values.map((value) => shownJson(value)));
  }
  const inner = { ...scope, depth: scope.depth + 1, references };
  const own = unite(typesOf(schema).map((type) => shapeOfType(type, schema, inner)));
  const [branches] = unions;
  if (branches === undefined) return own;
  // A branch often says only which properties go together.
  const shapes = branches.map((branch) => shapeWithin(branch, inner));
  if (shapes.every((shape) => shape === 'any')) return own;
  const isBare = !/[{[]/.test(own);
  return isBare
    ? unite(shapes.map((shape) => (shape === 'any' ? own : shape)))
    : `${own} & (${unite(shapes)})`;
}

function shapeOfType(type: string, schema: JsonObject, inner: Scope): string {
  const { properties, additionalProperties: others } = schema;
  if (type === 'array') return shapeOfArray(schema, inner);
  if (type !== 'object') return escapeControls(type);
  const required = new Set(elements(schema['required']));
  const members: string[] = [];
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
    if (inner.remaining.parts <= 0) {
      members.push('…');
      break;
    }
    const mark = required.has(name) ? '' : '?';
    members.push(`${shownJson(name)}${mark}: ${shapeWithin(property, inner)}`);
  }
  if (isRecord(others)) members.push(`...: ${shapeWithin(others, inner)}`);
  return members.length === 0 ? 'object' : `{${members.join(', ')}}`;
}

function shapeOfArray({ items, prefixItems, additionalItems }: JsonObject, inner: Scope): string {
  const isOldTuple = Array.isArray(items);
  const tuple = elements(isOldTuple ? items : prefixItems);
  const others = isOldTuple ? additionalItems : items;
  if (tuple.length === 0) return `[${others === undefined ? 'any' : shapeWithin(others, inner)}]`;
  const members = tuple.slice(0, MAXIMUM_VALUES).map((element) => shapeWithin(element, inner));
  if (tuple.length > MAXIMUM_VALUES) members.push('…');
  else if (others !== undefined && others !== false) {
    members.push(`...${shapeWithin(others, inner)}`);
  }
  return `[${members.join(', ')}]`;
}

/**
 * The JSON types that a schema accepts, and for a list, those of its items; empty if it accepts
 * any.
 */
export function jsonTypes(source: JsonValue, root: JsonObject): string[] {
  const found = new Set<string>();
  // The loop also visits what it adds, and each part once, however many references lead to it.
  const parts = new Set([source]);
  for (const part of parts) {
    const { schema, unions } = flatten(part, root);
    if (typeof schema === 'boolean') continue;
    const types = ownTypes(schema);
    for (const type of types) found.add(type);
    const items = types.includes('array') ? [schema['items'] ?? true] : [];
    for (const inner of types.length === 0 ? elements(unions[0]) : items) {
      if (parts.size < MAXIMUM_ALTERNATIVES) parts.add(inner);
    }
  }
  return [...found];
}

/** The types that a schema has without its unions. */
function ownTypes(schema: JsonObject): string[] {
  const types = typesOf(schema);
  if (types.length > 0) return types;
  const { const: constant, enum: values } = schema;
  return (constant === undefined ? elements(values) : [constant]).map(typeOf);
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function unite(shapes: readonly string[]): string {
  return [...new Set(shapes)].join('|') || 'any';
}
