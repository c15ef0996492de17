import { isRecord } from '../../shared/guards.ts';
import type { OpenApiDocument, Part } from '../document/document.ts';

/** A program has a long integer as text: JavaScript would change the number. */
const TEXT = { type: 'string', pattern: String.raw`^-?\d{16,19}$` };

/**
 * The schema of a value that is written as text, such as a parameter: integers of 64 bits, also those
 * of a list, can be text too, as an answer gives them.
 */
export function withLongIntegers(document: OpenApiDocument, schema: unknown): unknown {
  return isRecord(schema) ? document.readOnce(readSchema, schema) : schema;
}

function readSchema(document: OpenApiDocument, schema: Part): unknown {
  const object = document.resolve(schema);
  if (object === undefined) return schema;
  if (isLong(object)) return { anyOf: [schema, TEXT] };
  return document.readOnce(readList, object) ?? schema;
}

/** Undefined if it is not a list of integers of 64 bits. */
function readList(document: OpenApiDocument, object: Part): unknown {
  const { items } = object;
  if (!isRecord(items) || !isLong(document.resolve(items) ?? {})) return undefined;
  return { ...object, items: { anyOf: [items, TEXT] } };
}

function isLong({ type, format }: Part): boolean {
  return (
    format === 'int64' && (Array.isArray(type) ? type.includes('integer') : type === 'integer')
  );
}
