import { PtcError } from '../../shared/errors.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';

/** A schema with more parts counts as one that refers to itself. */
const MAXIMUM_PARTS = 20_000;
/** A schema with up to this many keywords is copied to each reference to it when it is compiled. */
export const INLINED_KEYWORDS = 20;
/** Compiling one part takes about 0.1 ms. */
const MAXIMUM_COMPILED = 2000;
const MAXIMUM_CHARACTERS = 256 * 1024;

/**
 * The number of a schema's parts, where a part counts at each place that refers to it: an upper
 * bound of how often one value is checked. Infinity if the schema refers to itself, because
 * alternatives that each contain the whole schema take time exponential in the depth of the
 * arguments.
 */
export function unfoldedSize<Part extends object>(
  root: Part,
  partsOf: (part: Part) => Iterable<Part>,
): number {
  const sizes = new Map<Part, number>();
  const visit = (part: Part): number => {
    const known = sizes.get(part);
    if (known !== undefined) return known;
    if (sizes.size >= MAXIMUM_PARTS) return Infinity;
    // Until its size is known, a part that contains itself is infinite.
    sizes.set(part, Infinity);
    let size = 1;
    for (const inner of partsOf(part)) size += visit(inner);
    const bounded = size > MAXIMUM_PARTS ? Infinity : size;
    sizes.set(part, bounded);
    return bounded;
  };
  return visit(root);
}

/**
 * The size of a JSON Schema; Infinity also if it has references other than pointers into itself.
 */
export function jsonSchemaSize(schema: JsonObject): number {
  // Only the validator can resolve a reference that is not a pointer.
  const elsewhere: JsonObject = { allOf: [] };
  const endless: JsonObject[] = [elsewhere];
  return unfoldedSize<object>(schema, (part) => {
    if (part === elsewhere) return endless;
    const inner: object[] = [];
    for (const [keyword, value] of Object.entries(part) as [string, JsonValue][]) {
      if (typeof value === 'object' && value !== null) inner.push(value);
      const isReference =
        keyword === '$ref' || keyword === '$dynamicRef' || keyword === '$recursiveRef';
      if (isReference && typeof value === 'string') {
        inner.push((keyword === '$ref' && targetOf(schema, value)) || elsewhere);
      }
    }
    return inner;
  });
}

/** The target of a JSON pointer such as `#/$defs/node`; undefined for any other reference. */
export function targetOf(schema: JsonObject, reference: string): object | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let at: JsonValue | undefined = schema;
  for (const part of reference.split('/').slice(1)) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, JsonValue>>)[name];
  }
  return typeof at === 'object' && at !== null ? at : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** How much there is to compile of a schema. */
export interface SchemaSize {
  /** Its objects and lists, and at each reference, those that may be copied there. */
  readonly parts: number;
  /** Its length as JSON. */
  readonly characters: number;
}

/** Measures a schema that is a tree. */
export function sizeOf(schema: JsonObject): SchemaSize {
  let parts = 0;
  const waiting: object[] = [schema];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    parts += '$ref' in part ? INLINED_KEYWORDS : 1;
    for (const member of Object.values(part) as JsonValue[]) {
      if (typeof member === 'object' && member !== null) waiting.push(member);
    }
  }
  return { parts, characters: JSON.stringify(schema).length };
}

/**
 * Refuses a schema that would take too long to compile while a call waits.
 * @throws PtcError `TOOL_INVALID`
 */
export function assertCompilable(
  schema: JsonObject,
  name: string,
  { parts, characters }: SchemaSize = sizeOf(schema),
): void {
  if (parts <= MAXIMUM_COMPILED && characters <= MAXIMUM_CHARACTERS) return;
  throw new PtcError(
    'TOOL_INVALID',
    `The ${name} has ${parts} parts and ${characters} characters; ${MAXIMUM_COMPILED} and ${MAXIMUM_CHARACTERS} are allowed for a tool of a source. Describe less, or leave the tool out.`,
  );
}
