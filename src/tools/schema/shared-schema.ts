import type { JsonObject } from '../../shared/json/json.ts';
import type { SchemaSize } from './schema-size.ts';

const sizes: WeakMap<object, SchemaSize> = new WeakMap();

/**
 * Freezes a JSON Schema, so that tools take it as it is: large schemas may have the same parts.
 * Otherwise each tool makes a copy.
 * @param schema - Only what JSON can represent, as a tree.
 */
export function shareSchema(schema: JsonObject, size: SchemaSize): JsonObject {
  sizes.set(schema, size);
  return deepFreeze(schema);
}

export function isShared(schema: object): schema is JsonObject {
  return sizes.has(schema);
}

/** The size of a shared schema; undefined for others. */
export function sharedSizeOf(schema: JsonObject): SchemaSize | undefined {
  return sizes.get(schema);
}

/** Freezes a tree of objects. Those that are frozen were frozen with all that they contain. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const member of Object.values(value)) deepFreeze(member);
    Object.freeze(value);
  }
  return value;
}
