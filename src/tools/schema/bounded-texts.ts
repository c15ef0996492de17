import { isRecord } from '../../shared/guards.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import { boundedText } from '../bounded-text.ts';
import { targetOf } from './schema-size.ts';

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

/**
 * A copy of a JSON Schema whose texts are bounded. Data in it stays as it is, whatever names its
 * members have, unless a reference leads to it: then it is a schema too.
 */
export function withBoundedTexts(schema: JsonObject): JsonObject {
  const copy = JSON.parse(JSON.stringify(schema)) as JsonObject;
  boundTexts(copy, copy, new Set());
  return copy;
}

function boundTexts(schema: JsonObject, root: JsonObject, seen: Set<object>): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  for (const [keyword, value] of Object.entries(schema)) {
    if (TEXTS.has(keyword) && typeof value === 'string') {
      Object.assign(schema, { [keyword]: boundedText(value) });
    } else if (keyword === '$ref' && typeof value === 'string') {
      inSchemas(targetOf(root, value) as JsonValue | undefined, root, seen);
    } else if (NAMED_SCHEMAS.has(keyword) && isRecord(value)) {
      for (const named of Object.values(value)) inSchemas(named, root, seen);
    } else if (!DATA.has(keyword)) {
      inSchemas(value, root, seen);
    }
  }
}

/** Bounds the texts of a schema, or of a list of them. Other values have none. */
function inSchemas(value: JsonValue | undefined, root: JsonObject, seen: Set<object>): void {
  if (Array.isArray(value)) {
    for (const each of value as readonly JsonValue[]) inSchemas(each, root, seen);
  } else if (isRecord(value)) boundTexts(value, root, seen);
}
