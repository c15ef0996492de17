import type { JsonObject } from '../../shared/json/json.ts';

/** Parses a tool call's arguments; undefined if the text is not a JSON object. */
export function parseToolInput(text: string): JsonObject | undefined {
  // A call without arguments has an empty text.
  if (text.trim() === '') return {};
  try {
    return toJsonObject(JSON.parse(text, wellFormed));
  } catch {
    return undefined;
  }
}

/**
 * Replaces half of a surrogate pair: programs cannot contain one, and services refuse it as input.
 */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? Buffer.from(value).toString() : value;
}

/** A value from a service's JSON; undefined if it is not an object. */
export function toJsonObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
