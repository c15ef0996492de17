import type { JsonObject } from '../shared/json.ts';

export const TEXT: JsonObject = { type: 'string' };

export const COUNT: JsonObject = { type: 'integer', minimum: 0 };

/** The schema of an object that has these properties and no others. */
export function object(required: JsonObject, optional: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

/** What has to hold for an object whose property has a value. */
export function ifIs(name: string, value: string, schema: JsonObject): JsonObject {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: { properties: { [name]: { const: value } } }, then: schema };
}
