import type { JsonObject, JsonValue } from '../../shared/json/json.ts';

/** A schema with more parts counts as one that refers to itself. */
const MAXIMUM_PARTS = 20_000;

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
function targetOf(schema: JsonObject, reference: string): object | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let at: JsonValue | undefined = schema;
  for (const part of reference.split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return undefined;
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    at = (at as Readonly<Record<string, JsonValue>>)[name];
  }
  return typeof at === 'object' && at !== null ? at : undefined;
}
