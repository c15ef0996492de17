import { escapeControls } from '../../shared/control-characters.ts';
import { isRecord } from '../../shared/guards.ts';
import { toJsonText, type JsonObject, type JsonValue } from '../../shared/json/json.ts';

const MAXIMUM_TEXT = 1000;

const TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']);

/**
 * Reads the value of a keyword. Undefined if it means nothing: documents have many mistakes, and a
 * schema with one could not be compiled.
 */
type Read = (value: unknown) => JsonValue | undefined;

const isNumber: Read = (value) => (Number.isFinite(value) ? (value as number) : undefined);
const isCount: Read = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? (value as number) : undefined;
const isBoolean: Read = (value) => (typeof value === 'boolean' ? value : undefined);
const isText: Read = (value) =>
  typeof value === 'string' ? escapeControls(value.slice(0, MAXIMUM_TEXT)) : undefined;

/** The keywords whose values are not schemas, and that say something about arguments or results. */
export const PLAIN_KEYWORDS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['description', isText],
  ['type', typesOf],
  [
    'enum',
    (value) => (Array.isArray(value) && value.length > 0 ? jsonOf([...new Set(value)]) : undefined),
  ],
  ['const', jsonOf],
  ['default', jsonOf],
  ['format', isText],
  ['pattern', (value) => (typeof value === 'string' && isPattern(value) ? value : undefined)],
  ['minLength', isCount],
  ['maxLength', isCount],
  ['minItems', isCount],
  ['maxItems', isCount],
  ['minProperties', isCount],
  ['maxProperties', isCount],
  ['uniqueItems', isBoolean],
  ['minimum', isNumber],
  ['maximum', isNumber],
  ['exclusiveMinimum', isNumber],
  ['exclusiveMaximum', isNumber],
  ['multipleOf', (value) => (Number(isNumber(value)) > 0 ? (value as number) : undefined)],
]);

/** A type or several. `file`, of Swagger 2.0, is not a type of JSON. */
function typesOf(value: unknown): JsonValue | undefined {
  const types = [...new Set([value].flat())].filter((type) =>
    TYPES.has(type as string),
  ) as string[];
  return types.length > 1 ? types : types[0];
}

/** Patterns are written for many engines. One that JavaScript cannot read would refuse each value. */
function isPattern(source: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      return new RegExp(source, flags) instanceof RegExp;
    } catch {
      return false;
    }
  });
}

/** Of the value of one keyword, about as JSON counts them. With a longer one, a schema is too large. */
const MAXIMUM_CHARACTERS = 50_000;

function jsonOf(value: unknown): JsonValue | undefined {
  try {
    if (value === undefined || isLong(value)) return undefined;
    return JSON.parse(toJsonText(value)) as JsonValue;
  } catch {
    return undefined;
  }
}

/** With the aliases of YAML, a small document can have values of any length, each at many places. */
function isLong(value: unknown): boolean {
  const waiting: unknown[] = [value];
  let length = 0;
  while (waiting.length > 0 && length <= MAXIMUM_CHARACTERS) {
    const one = waiting.pop();
    length += typeof one === 'string' ? one.length : 1;
    if (typeof one !== 'object' || one === null) continue;
    const inner: readonly unknown[] = Array.isArray(one) ? one : Object.entries(one).flat();
    length += inner.length;
    if (length <= MAXIMUM_CHARACTERS) waiting.push(...inner);
  }
  return length > MAXIMUM_CHARACTERS;
}

/** The bounds of draft 4 as those of 2020-12: `exclusiveMinimum` is true, and `minimum` the bound. */
export function exclusiveBounds(schema: Readonly<Record<string, unknown>>): JsonObject {
  const bounds: Record<string, JsonValue> = {};
  for (const end of ['Minimum', 'Maximum']) {
    const bound = isNumber(schema[end.toLowerCase()]);
    if (schema[`exclusive${end}`] === true && bound !== undefined)
      bounds[`exclusive${end}`] = bound;
  }
  return bounds;
}

/** A schema that accepts null besides what it accepts. */
export function nullable(schema: JsonObject): JsonObject {
  const { description, default: fallback, ...checks } = schema;
  const { type, enum: values, anyOf } = checks;
  const keywords = Object.keys(checks);
  if (keywords.length === 0) return schema;
  // These would refuse null, whatever the type.
  const others = ['const', 'allOf', 'anyOf', '$ref'];
  if (type !== undefined && !others.some((keyword) => keywords.includes(keyword))) {
    return {
      ...schema,
      type: [...new Set([type, 'null'].flat())] as readonly JsonValue[],
      ...(Array.isArray(values) && { enum: [...new Set([...(values as JsonValue[]), null])] }),
    };
  }
  const choices = keywords.length === 1 && Array.isArray(anyOf) ? (anyOf as JsonValue[]) : [checks];
  const acceptsNull = choices.some((one) => isRecord(one) && one['type'] === 'null');
  return {
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
    anyOf: acceptsNull ? choices : [...choices, { type: 'null' }],
  };
}

/** Whether a property belongs only to answers (`readOnly`) or only to requests (`writeOnly`). */
export function isMarked(schema: unknown, mark: 'readOnly' | 'writeOnly'): boolean {
  return isRecord(schema) && schema[mark] === true;
}
