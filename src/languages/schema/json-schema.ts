import { isRecord } from '../../shared/guards.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';

/** A longer chain of references is cut: nobody writes such a schema. */
const MAXIMUM_REFERENCES = 100;

/**
 * How many properties of parts are merged. References can make a small schema have many parts with
 * the same properties, and no signature shows so many.
 */
const MAXIMUM_MERGED = 1000;

/** How many alternatives of a value are looked at to find its types. */
export const MAXIMUM_ALTERNATIVES = 300;

export interface FlatSchema {
  /** The keywords of all parts. If several parts have a keyword, the last one counts. */
  readonly schema: JsonObject | boolean;
  /** The references that were followed, including earlier ones. */
  readonly references: ReadonlySet<string>;
  /** The references that were not followed because their target has a name. */
  readonly named: readonly string[];
  /** The branches of every union: a value matches one branch of each. */
  readonly unions: readonly (readonly JsonValue[])[];
}

/**
 * A schema with its `$ref` followed and its `allOf` merged, one level deep. A reference that leads
 * back to itself or to nothing becomes the bare type of its target.
 * @param isNamed - Which references are kept.
 */
export function flatten(
  source: JsonValue,
  root: JsonObject,
  followed: ReadonlySet<string> = new Set(),
  isNamed: (reference: string) => boolean = () => false,
): FlatSchema {
  if (!isRecord(source)) {
    return { schema: source !== false, references: followed, named: [], unions: [] };
  }
  const { $ref: reference, allOf, ...own } = source;
  const parts: FlatSchema[] = [];
  const named: string[] = [];
  let references = followed;
  const add = (flat: FlatSchema): void => {
    references = flat.references;
    named.push(...flat.named);
    parts.push(flat);
  };
  if (typeof reference === 'string') {
    const target = lookUp(reference, root);
    if (isNamed(reference)) {
      named.push(reference);
    } else if (followed.has(reference) || followed.size >= MAXIMUM_REFERENCES) {
      const bare =
        isRecord(target) && target['type'] !== undefined ? { type: target['type'] } : true;
      add(flatten(bare, root, references));
    } else {
      add(flatten(target, root, new Set([...followed, reference]), isNamed));
    }
  }
  for (const part of elements(allOf)) add(flatten(part, root, references, isNamed));
  const unions = [...parts.flatMap((part) => part.unions), ...unionsOf(own)];
  if (parts.some((part) => part.schema === false)) {
    return { schema: false, references, named, unions };
  }
  const merged = merge([...parts.map((part) => part.schema), own].filter((part) => isRecord(part)));
  const schema = Object.keys(merged).length === 0 ? true : merged;
  return { schema, references, named: [...new Set(named)], unions };
}

function unionsOf(schema: JsonObject): (readonly JsonValue[])[] {
  return [elements(schema['anyOf']), elements(schema['oneOf'])].filter(({ length }) => length > 0);
}

/** The elements of a value that should be an array; none if it is not one. */
export function elements(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** The types that a schema names or that its keywords imply; none if it says nothing. */
export function typesOf(schema: JsonObject): string[] {
  const { type } = schema;
  const named = [type].flat().filter((name) => typeof name === 'string');
  if (named.length > 0) return named;
  if (isRecord(schema['properties']) || isRecord(schema['additionalProperties'])) return ['object'];
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return ['array'];
  return [];
}

/** Whether a schema might accept an object. True if that is unclear. */
export function acceptsObject(source: JsonValue, root: JsonObject): boolean {
  // The loop also visits what it adds, and each part once, however many references lead to it.
  const parts = new Set([source]);
  for (const part of parts) {
    const answer = objectOrBranches(flatten(part, root).schema);
    if (answer === true) return true;
    for (const branch of answer === false ? [] : answer) {
      if (parts.size >= MAXIMUM_ALTERNATIVES) return true;
      parts.add(branch);
    }
  }
  return false;
}

/** Whether a schema might accept an object, or the branches that tell it. */
function objectOrBranches(schema: JsonObject | boolean): boolean | readonly JsonValue[] {
  if (typeof schema === 'boolean') return schema;
  const types = typesOf(schema);
  if (types.length > 0) return types.includes('object');
  if (schema['const'] !== undefined) return isRecord(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].some((value) => isRecord(value));
  const branches = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(branches) ? (branches as readonly JsonValue[]) : true;
}

type Properties = readonly (readonly [string, JsonValue])[];

/** Listing the properties of a large object takes milliseconds, and many parts can have the same. */
const listed = new WeakMap<JsonObject, Properties>();

function mergedProperties(properties: JsonObject): Properties {
  const known = listed.get(properties) ?? Object.entries(properties).slice(0, MAXIMUM_MERGED);
  listed.set(properties, known);
  return known;
}

/**
 * Merges schemas, in a time that grows with their size: properties and requirements are combined; of
 * other keywords, the last one counts.
 */
function merge(parts: readonly JsonObject[]): JsonObject {
  const merged = Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
  const allProperties = parts.map((part) => part['properties']).filter((value) => isRecord(value));
  if (allProperties.length > 1) {
    const byName = new Map<string, JsonValue[]>();
    for (const [name, property] of allProperties
      .flatMap(mergedProperties)
      .slice(0, MAXIMUM_MERGED)) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [property]);
      else known.push(property);
    }
    const properties = [...byName].map(([name, all]): [string, JsonValue] => [
      name,
      all.length === 1 ? all[0]! : { allOf: all },
    ]);
    Object.assign(merged, { properties: Object.fromEntries(properties) });
  }
  const allRequired = parts.map((part) => part['required']).filter((value) => Array.isArray(value));
  if (allRequired.length > 1) Object.assign(merged, { required: allRequired.flat() });
  return merged;
}

/**
 * The target of a reference inside the document; `true`, which accepts everything, if there is
 * none.
 */
export function lookUp(reference: string, root: JsonObject): JsonValue {
  if (reference !== '#' && !reference.startsWith('#/')) return true;
  let at: JsonValue | undefined = root;
  for (const key of pointerKeys(reference)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return true;
    at = (at as JsonObject)[key];
  }
  return at ?? true;
}

/** The keys of a reference such as `#/$defs/Order`. */
export function pointerKeys(reference: string): string[] {
  const parts = reference.split('/').slice(1);
  return parts.map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
