import type { JsonObject, JsonValue } from '../shared/json.ts';

/** A longer chain of references is cut: it is no schema that anyone wrote. */
const MAXIMUM_REFERENCES = 100;

export interface FlatSchema {
  readonly schema: JsonObject | boolean;
  /** The references that were followed, with those followed before. */
  readonly references: ReadonlySet<string>;
}

/**
 * A schema with its `$ref` followed and its `allOf` merged, one level deep. A reference that leads
 * back to itself, and one that leads nowhere, is the bare type of its target.
 */
export function flatten(
  source: JsonValue,
  root: JsonObject,
  followed: ReadonlySet<string> = new Set(),
): FlatSchema {
  if (!isRecord(source)) return { schema: source !== false, references: followed };
  const { $ref: reference, allOf, ...own } = source;
  let references = followed;
  const parts: (JsonObject | boolean)[] = [];
  if (typeof reference === 'string') {
    const target = lookUp(reference, root);
    if (followed.has(reference) || followed.size >= MAXIMUM_REFERENCES) {
      parts.push(isRecord(target) && target['type'] !== undefined ? { type: target['type'] } : {});
    } else {
      const flat = flatten(target, root, new Set([...followed, reference]));
      references = flat.references;
      parts.push(flat.schema);
    }
  }
  for (const part of Array.isArray(allOf) ? (allOf as readonly JsonValue[]) : []) {
    const flat = flatten(part, root, references);
    references = flat.references;
    parts.push(flat.schema);
  }
  if (parts.includes(false)) return { schema: false, references };
  const merged = [...parts, own].filter(isRecord).reduce(merge, {});
  return { schema: Object.keys(merged).length === 0 ? true : merged, references };
}

/** The types that a schema names, or that its keywords imply; none where it says nothing. */
export function typesOf(schema: JsonObject): string[] {
  const { type } = schema;
  const named = [type].flat().filter((name) => typeof name === 'string');
  if (named.length > 0) return named;
  if (isRecord(schema['properties']) || isRecord(schema['additionalProperties'])) return ['object'];
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return ['array'];
  return [];
}

/** Whether a schema could let an object through. Unsure means yes. */
export function acceptsObject(source: JsonValue, root: JsonObject): boolean {
  const { schema, references } = flatten(source, root);
  return flatAcceptsObject(schema, root, references);
}

function flatAcceptsObject(
  schema: JsonObject | boolean,
  root: JsonObject,
  references: ReadonlySet<string>,
): boolean {
  if (typeof schema === 'boolean') return schema;
  const types = typesOf(schema);
  if (types.length > 0) return types.includes('object');
  if (schema['const'] !== undefined) return isRecord(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].some((value) => isRecord(value));
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (!Array.isArray(branches)) return true;
  return (branches as readonly JsonValue[]).some((branch) => {
    const flat = flatten(branch, root, references);
    return flatAcceptsObject(flat.schema, root, flat.references);
  });
}

export function isRecord(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Both at once: properties and requirements add up, of other keywords the later wins. */
function merge(first: JsonObject, second: JsonObject): JsonObject {
  const merged = { ...first, ...second };
  if (isRecord(first['properties']) && isRecord(second['properties'])) {
    Object.assign(merged, { properties: { ...first['properties'], ...second['properties'] } });
  }
  if (Array.isArray(first['required']) && Array.isArray(second['required'])) {
    Object.assign(merged, { required: [...first['required'], ...second['required']] });
  }
  return merged;
}

/** What a reference inside the document points at; `true`, which allows all, where that is nothing. */
function lookUp(reference: string, root: JsonObject): JsonValue {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return true;
  let at: JsonValue | undefined = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return true;
    at = (at as JsonObject)[key];
  }
  return at ?? true;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
