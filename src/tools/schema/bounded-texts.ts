import { isRecord } from '../../shared/guards.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import { boundedText } from '../bounded-text.ts';

/** Keywords whose value is a text that models read. */
const TEXTS: ReadonlySet<string> = new Set(['description', 'title']);

/** Keywords whose value is data: it is compared with values, or shown as one. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'example']);

/** Keywords whose value has schemas by names, which may be those of keywords. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
]);

/** A JSON Schema whose texts are bounded. Data in it stays as it is, whatever names its members have. */
export function withBoundedTexts(schema: JsonObject): JsonObject {
  return mapMembers(schema, (value, keyword) => {
    if (TEXTS.has(keyword) && typeof value === 'string') return boundedText(value);
    if (DATA.has(keyword)) return value;
    return NAMED_SCHEMAS.has(keyword) && isObject(value)
      ? mapMembers(value, inSchemas)
      : inSchemas(value);
  });
}

/** Bounds the texts of a schema, or of a list of them. Other values have none. */
function inSchemas(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(inSchemas);
  return isObject(value) ? withBoundedTexts(value) : value;
}

function mapMembers(
  object: JsonObject,
  map: (value: JsonValue, name: string) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, map(value, name)]),
  );
}

function isObject(value: JsonValue): value is JsonObject {
  return isRecord(value);
}
