import { isRecord } from '../../../shared/guards.ts';

/** Names the header in which a client sends an argument, too, so that a proxy can read it. */
const KEYWORD = 'x-mcp-header';

/** What HTTP allows as the name of a header. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/** Keywords whose value is a schema, or a list of schemas. */
const SCHEMAS = [
  'items',
  'prefixItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
] as const;

/** Keywords whose value is an object of schemas. */
const NAMED_SCHEMAS = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'] as const;

/**
 * Why a tool that is called by HTTP must be left out: the protocol forbids to use a definition that
 * names a header which cannot be sent, or which could be confused with another.
 * @param inputSchema - At most 200 levels deep.
 * @returns undefined if it can be used.
 */
export function headerFault(inputSchema: unknown): string | undefined {
  const names = new Set<string>();
  return faultOf(inputSchema, names, false, true);
}

/**
 * @param names - Those of the headers so far, in lower case.
 * @param isProperty - Whether the schema is that of a property.
 * @param isReached - Whether only properties of properties lead to it, so that its value can be found.
 */
function faultOf(
  schema: unknown,
  names: Set<string>,
  isProperty: boolean,
  isReached: boolean,
): string | undefined {
  if (!isRecord(schema)) return undefined;
  if (Object.hasOwn(schema, KEYWORD)) {
    const fault = isProperty && isReached ? ownFault(schema, names) : 'is not at a property';
    if (fault !== undefined) return `its ${KEYWORD} ${fault}`;
  }
  for (const property of valuesOf(schema['properties'])) {
    const fault = faultOf(property, names, true, isReached);
    if (fault !== undefined) return fault;
  }
  const others = [
    ...SCHEMAS.flatMap((keyword) => schema[keyword]),
    ...NAMED_SCHEMAS.flatMap((keyword) => valuesOf(schema[keyword])),
  ];
  for (const other of others) {
    const fault = faultOf(other, names, false, false);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function ownFault(
  { [KEYWORD]: name, type }: Readonly<Record<string, unknown>>,
  names: Set<string>,
): string | undefined {
  if (typeof name !== 'string' || !HEADER_NAME.test(name)) return 'is not the name of a header';
  if (!TYPES.has(type)) return 'is at a property that is not a string, an integer or a boolean';
  if (names.has(name.toLowerCase())) return 'occurs twice';
  names.add(name.toLowerCase());
  return undefined;
}

function valuesOf(value: unknown): readonly unknown[] {
  return isRecord(value) ? Object.values(value) : [];
}
