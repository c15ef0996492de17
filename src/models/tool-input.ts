import type { JsonObject } from '../shared/json.ts';

/** The arguments in a tool call's JSON text, or undefined where the text is no JSON object. */
export function parseToolInput(text: string): JsonObject | undefined {
  // A call without arguments arrives as no text at all.
  if (text.trim() === '') return {};
  try {
    return toJsonObject(JSON.parse(text, wellFormed));
  } catch {
    return undefined;
  }
}

/** Half a surrogate pair is no text: no program can have one, and services refuse to read it back. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? Buffer.from(value).toString() : value;
}

/** A value out of a service's JSON, or undefined where it is no object. */
export function toJsonObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
