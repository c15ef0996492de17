import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import type { Definitions, PartsBudget, SchemaDocument } from '../schema/definitions.ts';
import { elements, flatten, typesOf, type FlatSchema } from '../schema/json-schema.ts';
import { typescriptLiteral } from './literal.ts';
import { objectType } from './objects.ts';
import { ANY, intersection, NEVER, textOf, union, atomicType, type Type } from './type.ts';

const MAXIMUM_DEPTH = 6;
const MAXIMUM_ELEMENTS = 40;
const MAXIMUM_VALUES = 60;
/** How many parts a type has at most: references can make a small schema expand to a huge type. */
const MAXIMUM_PARTS = 300;

/** The context in which a type is written. */
export interface Scope {
  readonly document: SchemaDocument;
  readonly definitions: Definitions;
  readonly remaining: PartsBudget;
  readonly depth: number;
  /** Whether a value must also match other types, whose properties this one must not refuse. */
  readonly isPart: boolean;
  /** The references that led here. */
  readonly references: ReadonlySet<string>;
}

/**
 * The TypeScript type of a JSON Schema. It accepts every value that the schema accepts, and more if
 * a type cannot express a constraint. It refuses only properties and elements that the schema does
 * not mention, unless the schema explicitly allows them, and a list that is shorter than its
 * `prefixItems` if there is no `minItems`: who describes a tuple so means all of its elements.
 */
export function typescriptType(
  schema: JsonValue,
  document: SchemaDocument,
  definitions: Definitions,
): Type {
  const scope = { document, definitions, depth: 0, references: new Set<string>() };
  return render(schema, { ...scope, remaining: { parts: MAXIMUM_PARTS }, isPart: false });
}

/** `typescriptType` for a type with a name, which can become a part of any other type. */
export function definedType(
  schema: JsonValue,
  document: SchemaDocument,
  definitions: Definitions,
): Type {
  const scope = { document, definitions, depth: 0, references: new Set<string>() };
  return render(schema, { ...scope, remaining: definitions.budgetOf(document), isPart: true });
}

function render(source: JsonValue, scope: Scope): Type {
  if (scope.remaining.parts-- <= 0) return ANY;
  const { root, references } = scope.document;
  const flat = flatten(source, root, scope.references, (name) => references.isNamed(name));
  const { schema } = flat;
  if (schema === false) return NEVER;
  const inner = { ...scope, references: flat.references, depth: scope.depth + 1 };
  const named = flat.named.map((reference) => {
    const name = scope.definitions.nameOf(reference, scope.document);
    return name === undefined ? ANY : atomicType(name);
  });
  const others = flat.named.length + flat.unions.length;
  const own =
    schema === true ? ANY : ownType(schema, { ...inner, isPart: scope.isPart || others > 0 });
  const isPart = scope.isPart || others + (own === ANY ? 0 : 1) > 1;
  const unions = flat.unions.map((branches) =>
    branchesType(branches, schema, { ...inner, isPart }),
  );
  const telling = [...named, ...unions].filter((type) => type !== ANY);
  const all = isBareObject(flat) && telling.length > 0 ? telling : [...named, own, ...unions];
  const type = intersection(all);
  return schema !== true && schema['nullable'] === true ? union([type, atomicType('null')]) : type;
}

/** In combination with other schemas, a pattern of names says nothing about the names in those. */
function withoutPatterns(schema: JsonObject): JsonObject {
  const { patternProperties: patterns, ...rest } = schema;
  return patterns === undefined ? schema : { ...rest, additionalProperties: true };
}

/**
 * Whether a schema says only that a value is an object, which its references and unions say more
 * precisely.
 */
function isBareObject({ schema }: FlatSchema): boolean {
  if (schema === true || schema === false) return false;
  const says = (keyword: string): boolean => schema[keyword] !== undefined;
  return (
    typesOf(schema).join('') === 'object' &&
    !['properties', 'additionalProperties', 'patternProperties', 'required', 'const', 'enum'].some(
      says,
    )
  );
}

/** The type of a schema without its references and unions. */
function ownType(schema: JsonObject, inner: Scope): Type {
  if (schema['const'] !== undefined) return atomicType(typescriptLiteral(schema['const']));
  if (Array.isArray(schema['enum'])) return enumType(elements(schema['enum']));
  const types = typesOf(schema);
  if (types.length === 0) return ANY;
  return union(
    types.map((type) => {
      if (type === 'object') return renderObject(schema, inner);
      if (type === 'array') return renderArray(schema, { ...inner, isPart: false });
      const scalar = scalars[type];
      return scalar === undefined ? ANY : atomicType(scalar);
    }),
  );
}

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

function branchesType(
  branches: readonly JsonValue[],
  schema: JsonObject | boolean,
  inner: Scope,
): Type {
  const types = branches.map((branch) => render(branch, inner));
  if (types.every((type) => type === ANY)) return ANY;
  const isObject = schema !== true && schema !== false && typesOf(schema).join('') === 'object';
  // A branch without information must not hide the properties of the others.
  return union(types.map((type) => (type === ANY && isObject ? ANY_OBJECT : type)));
}

const ANY_OBJECT: Type = atomicType('Record<string, any>');

function renderObject(schema: JsonObject, inner: Scope): Type {
  if (inner.depth > MAXIMUM_DEPTH) return ANY_OBJECT;
  const known = inner.isPart ? withoutPatterns(schema) : schema;
  const scope = { ...inner, isPart: false };
  return objectType(known, inner.document, (property) => render(property, scope));
}

function enumType(values: readonly JsonValue[]): Type {
  const shown = values
    .slice(0, MAXIMUM_VALUES)
    .map((value) => atomicType(typescriptLiteral(value)));
  // For more values, at least their kind.
  const rest = values.slice(MAXIMUM_VALUES).map((value) => {
    const kind = typeof value;
    return kind === 'object' ? ANY : atomicType(kind);
  });
  return union([...shown, ...rest]);
}

function renderArray(schema: JsonObject, inner: Scope): Type {
  if (inner.depth > MAXIMUM_DEPTH) return atomicType('any[]');
  const { items } = schema;
  const isOldTuple = Array.isArray(items);
  const tuple = elements(isOldTuple ? items : schema['prefixItems']);
  const others = isOldTuple ? schema['additionalItems'] : items;
  if (tuple.length === 0) return arrayOf(render((isOldTuple ? others : items) ?? true, inner));
  const { minItems } = schema;
  const required = typeof minItems === 'number' ? minItems : tuple.length;
  const members = tuple.slice(0, MAXIMUM_ELEMENTS).map((element, index) => {
    const type = render(element, inner);
    return index < required ? textOf(type) : `${textOf(type, 'element')}?`;
  });
  if (tuple.length > MAXIMUM_ELEMENTS) members.push('...any[]');
  else if (others !== undefined && others !== false) {
    members.push(`...${textOf(arrayOf(render(others, inner)))}`);
  }
  return atomicType(`[${members.join(', ')}]`);
}

function arrayOf(element: Type): Type {
  return atomicType(`${textOf(element, 'element')}[]`);
}
