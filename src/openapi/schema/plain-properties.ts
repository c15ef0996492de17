import { isRecord } from '../../shared/guards.ts';
import type { OpenApiDocument, Part } from '../document/document.ts';
import { absentFrom } from './absent-properties.ts';

/** A body with more properties is one argument. */
const MAXIMUM_PROPERTIES = 100;

/** A property of a body that is an argument. */
export interface PlainProperty {
  readonly name: string;
  readonly schema: unknown;
  /** Whether a body must have it. */
  readonly isNeeded: boolean;
}

/** What a schema can have if it is nothing but a list of properties. */
const PLAIN = new Set([
  'type',
  'properties',
  'required',
  'title',
  'description',
  'example',
  'examples',
  'xml',
  'externalDocs',
  'deprecated',
]);

/**
 * The properties of the schema of a body that is nothing but an object with these properties, and can
 * be arguments; undefined for other schemas.
 */
export function plainPropertiesOf(
  document: OpenApiDocument,
  object: Part,
): readonly PlainProperty[] | undefined {
  const { properties, required, additionalProperties: more, type = 'object' } = object;
  if (!isRecord(properties)) return undefined;
  const isPlain = Object.keys(object).every(
    (keyword) =>
      PLAIN.has(keyword) ||
      keyword.startsWith('x-') ||
      (keyword === 'additionalProperties' && more === false),
  );
  const absent = absentFrom(document, object, 'readOnly');
  const entries = Object.entries(properties).filter(([name]) => !absent.has(name));
  const isFew =
    entries.length > 0 &&
    entries.length <= MAXIMUM_PROPERTIES &&
    !Object.hasOwn(properties, '__proto__');
  if (!isPlain || type !== 'object' || !isFew) return undefined;
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return entries.map(([name, schema]) => ({ name, schema, isNeeded: needed.has(name) }));
}
