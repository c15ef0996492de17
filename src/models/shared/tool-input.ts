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
 * Reads a tool call's arguments that the client has parsed; undefined if they are not an object. A
 * call without arguments may leave them out.
 */
export function readToolInput(input: unknown): JsonObject | undefined {
  try {
    return parseToolInput(JSON.stringify(input ?? {}));
  } catch {
    return undefined;
  }
}

/**
 * Replaces half of a surrogate pair, also in keys: programs cannot contain one, and services refuse
 * it as input.
 */
function wellFormed(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (!isJsonObject(value) || Object.keys(value).every((key) => key.isWellFormed())) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toWellFormed(), one]));
}

/** A value from a service's JSON; undefined if it is not an object. */
export function toJsonObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
