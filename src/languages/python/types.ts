import { isRecord } from '../../shared/guards.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import type { Definitions, PartsBudget, SchemaDocument } from '../schema/definitions.ts';
import { elements, flatten, typesOf } from '../schema/json-schema.ts';
import { pythonLiteral, pythonString } from './literal.ts';

const MAXIMUM_DEPTH = 5;
const MAXIMUM_PROPERTIES = 40;
const MAXIMUM_VALUES = 60;
/**
 * How many parts an annotation has at most: references can make a small schema expand to a huge
 * type.
 */
const MAXIMUM_PARTS = 300;

/** Keywords that do not change a type. */
const annotations = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['$comment', 'nullable'],
]);

/**
 * The Python annotation for a JSON Schema, which is always a valid expression. An object with known
 * properties is written inline as a dict of types, which takes fewer tokens than a class. A type
 * that is recursive or used more than once has a name.
 */
export function pythonType(
  schema: JsonValue,
  document: SchemaDocument,
  definitions: Definitions,
  remaining: PartsBudget = { parts: MAXIMUM_PARTS },
): string {
  return render(schema, { document, definitions, remaining, depth: 0, references: new Set() });
}

interface Scope {
  readonly document: SchemaDocument;
  readonly definitions: Definitions;
  readonly remaining: PartsBudget;
  readonly depth: number;
  /** The references that led here. One that occurs again is recursive. */
  readonly references: ReadonlySet<string>;
}

function render(source: JsonValue, scope: Scope): string {
  return union(renderParts(source, scope));
}

/** The members of the union that a schema stands for. */
function renderParts(source: JsonValue, scope: Scope): string[] {
  if (scope.remaining.parts-- <= 0) return ['Any'];
  const name = nameOf(source, scope);
  if (name !== undefined) return name;
  const { schema, references } = flatten(source, scope.document.root, scope.references);
  if (schema === false) return ['Never'];
  if (schema === true) return ['Any'];
  const parts = alternatives(schema, { ...scope, references, depth: scope.depth + 1 });
  return schema['nullable'] === true ? [...parts, 'None'] : parts;
}

/** Only the name, if a schema is just a reference: Python's types have no intersection. */
function nameOf(source: JsonValue, scope: Scope): string[] | undefined {
  const { document, definitions } = scope;
  const { root, references } = document;
  const isNamed = (reference: string): boolean => references.isNamed(reference);
  const { schema, named, unions } = flatten(source, root, scope.references, isNamed);
  const [reference] = named;
  if (reference === undefined || named.length > 1 || unions.length > 0) return undefined;
  const keywords = isRecord(schema) ? Object.keys(schema) : [];
  if (schema === false || keywords.some((keyword) => !annotations.has(keyword))) return undefined;
  const name = definitions.nameOf(reference, document) ?? 'Any';
  return isRecord(schema) && schema['nullable'] === true ? [name, 'None'] : [name];
}

function alternatives(schema: JsonObject, inner: Scope): string[] {
  if (schema['const'] !== undefined) return literals([schema['const']]);
  if (Array.isArray(schema['enum'])) return literals(schema['enum'] as readonly JsonValue[]);
  const types = typesOf(schema);
  if (types.length === 0) {
    const branches = branchesOf(schema);
    return branches.length === 0 ? ['Any'] : branches.flatMap((each) => renderParts(each, inner));
  }
  return types.flatMap((type) => {
    if (type === 'object') return objectTypes(schema, inner);
    return type === 'array' ? arrayType(schema, inner) : (scalars[type] ?? 'Any');
  });
}

function branchesOf(schema: JsonObject): readonly JsonValue[] {
  return elements(schema['anyOf'] ?? schema['oneOf']);
}

const scalars: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

function literals(values: readonly JsonValue[]): string[] {
  const shown = values.filter((value) => value !== null).map((value) => pythonLiteral(value));
  if (shown.length > MAXIMUM_VALUES) shown.splice(MAXIMUM_VALUES, Infinity, '...');
  const parts = shown.length === 0 ? [] : [`Literal[${shown.join(', ')}]`];
  return values.includes(null) ? [...parts, 'None'] : parts;
}

/** The union of a schema that also names a type mostly says which properties go together. */
function objectTypes(schema: JsonObject, inner: Scope): string[] {
  const own = membersType(schema, inner);
  const branches = new Set(branchesOf(schema).flatMap((each) => branchTypes(each, inner)));
  const either = [...branches].join(' | ');
  if (either === '' || either === 'dict') return [own];
  if (own === 'dict') return [...branches];
  return [branches.size === 1 ? `${own} & ${either}` : `${own} & (${either})`];
}

/** The types of a branch of an object's union; none if no object matches it. */
function branchTypes(source: JsonValue, scope: Scope): string[] {
  if (scope.remaining.parts-- <= 0) return ['dict'];
  const { schema, references } = flatten(source, scope.document.root, scope.references);
  if (typeof schema === 'boolean') return schema ? ['dict'] : [];
  const types = typesOf(schema);
  if (types.length > 0 && !types.includes('object')) return [];
  const [name] = nameOf(source, scope) ?? [];
  if (name !== undefined) return [name === 'Any' ? 'dict' : name];
  return objectTypes(schema, { ...scope, references, depth: scope.depth + 1 });
}

function membersType(schema: JsonObject, inner: Scope): string {
  const properties = isRecord(schema['properties']) ? Object.entries(schema['properties']) : [];
  if (inner.depth > MAXIMUM_DEPTH) return 'dict';
  if (properties.length === 0) {
    const { patternProperties: patterns, additionalProperties: others } = schema;
    const values = isRecord(patterns) ? Object.values(patterns) : [];
    if (isRecord(others)) values.push(others);
    if (values.length === 0) return 'dict';
    return `dict[str, ${union(values.flatMap((value) => renderParts(value, inner)))}]`;
  }
  const required = elements(schema['required']);
  const members = properties.slice(0, MAXIMUM_PROPERTIES).map(([name, property]) => {
    const type = render(property, inner);
    return `${pythonString(name)}: ${required.includes(name) ? type : `NotRequired[${type}]`}`;
  });
  if (properties.length > MAXIMUM_PROPERTIES) members.push('...: ...');
  return `{${members.join(', ')}}`;
}

function arrayType(schema: JsonObject, inner: Scope): string {
  if (inner.depth > MAXIMUM_DEPTH) return 'list';
  const tuple = schema['prefixItems'] ?? schema['items'];
  if (Array.isArray(tuple)) {
    const shown = elements(tuple).slice(0, MAXIMUM_PROPERTIES);
    return `[${shown.map((element) => render(element, inner)).join(', ')}]`;
  }
  return schema['items'] === undefined ? 'list' : `list[${render(schema['items'], inner)}]`;
}

function isLiteral(part: string): boolean {
  return part.startsWith('Literal[');
}

/**
 * Joins types: `Any` absorbs the others, literals are merged, and `None` comes last, as people
 * write it.
 */
function union(parts: readonly string[]): string {
  if (parts.includes('Any')) return 'Any';
  const values = parts.filter(isLiteral).map((part) => part.slice('Literal['.length, -1));
  const types = new Set(parts.filter((part) => !isLiteral(part)));
  if (values.length > 0) types.add(`Literal[${[...new Set(values)].join(', ')}]`);
  types.delete('Never');
  if (types.delete('None')) types.add('None');
  return types.size === 0 ? 'Never' : [...types].join(' | ');
}
