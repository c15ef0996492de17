import { isRecord } from '../../shared/guards.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import type { OpenApiDocument, Part } from '../document/document.ts';
import { sizeOf, type SchemaSize } from '../../tools/schema/schema-size.ts';
import { deepFreeze } from '../../tools/schema/shared-schema.ts';
import { absentFrom, allAbsentFrom } from './absent-properties.ts';
import { exclusiveBounds, nullable, PLAIN_KEYWORDS } from './keywords.ts';

/** A larger or deeper schema accepts every value: the service checks what it gets. */
const MAXIMUM: SchemaSize = { parts: 1000, characters: 50_000 };
const MAXIMUM_DEPTH = 30;

/** Whether a schema is that of arguments or of results. */
export type Side = 'request' | 'response';

/** A schema of a document as a JSON Schema. */
export interface CopiedSchema {
  readonly schema: JsonObject;
  /** The names of the definitions to which it refers. */
  readonly names: readonly string[];
  readonly size: SchemaSize;
}

export interface CopyOptions {
  readonly side: Side;
  readonly document: OpenApiDocument;
  /** The name of the definition for a reference; undefined if it leads nowhere. */
  readonly nameOf: (reference: string) => string | undefined;
}

const ANYTHING: CopiedSchema = { schema: {}, names: [], size: { parts: 1, characters: 2 } };

/** Makes a JSON Schema (2020-12) of a schema of a document. It never accepts less than that. */
export function copySchema(schema: unknown, options: CopyOptions): CopiedSchema {
  try {
    const copier = new Copier(options);
    const copy = copier.copy(schema, 0);
    const object = typeof copy === 'object' ? copy : {};
    const size = sizeOf(object);
    if (isLarger(size, MAXIMUM)) return ANYTHING;
    return { schema: deepFreeze(object), names: [...copier.names], size };
  } catch (error) {
    if (error instanceof TooLarge) return ANYTHING;
    throw error;
  }
}

/** Whether a size is above a limit in one way or the other. */
export function isLarger(size: SchemaSize, limit: SchemaSize): boolean {
  return size.parts > limit.parts || size.characters > limit.characters;
}

type Absent = readonly ReadonlySet<string>[];

class TooLarge extends Error {}

class Copier {
  readonly names: Set<string> = new Set();
  readonly #options: CopyOptions;
  readonly #mark: 'readOnly' | 'writeOnly';
  #parts = 0;

  constructor(options: CopyOptions) {
    this.#options = options;
    this.#mark = options.side === 'request' ? 'readOnly' : 'writeOnly';
  }

  /** @param absent - What the value has not, by schemas that apply to it too. */
  copy(schema: unknown, depth: number, absent: Absent = []): JsonObject | boolean {
    if (typeof schema === 'boolean') return schema;
    if (!isRecord(schema)) return {};
    this.#parts += 1;
    if (depth > MAXIMUM_DEPTH || this.#parts > MAXIMUM.parts) throw new TooLarge();
    const { $ref: reference } = schema;
    if (typeof reference !== 'string') return this.#copyMembers(schema, depth, absent);
    const name = this.#options.nameOf(reference);
    if (name === undefined) return {};
    this.names.add(name);
    const target = { $ref: `#/$defs/${name}` };
    // Before 3.1, what is beside a reference means nothing.
    return this.#options.document.version === '3.1'
      ? { ...this.#copyMembers(schema, depth, absent), ...target }
      : target;
  }

  #copyMembers(schema: Part, depth: number, outer: Absent): JsonObject {
    const { document } = this.#options;
    const absent = [...new Set([...outer, ...allAbsentFrom(document, schema, this.#mark)])];
    const copy: Record<string, JsonValue> = {};
    for (const [keyword, read] of PLAIN_KEYWORDS) {
      const value = read(schema[keyword]);
      if (value !== undefined) copy[keyword] = value;
    }
    Object.assign(copy, exclusiveBounds(schema), this.#properties(schema, depth, absent));
    const { items, prefixItems, allOf } = schema;
    const tuple = Array.isArray(items) ? items : prefixItems;
    if (Array.isArray(tuple) && tuple.length > 0) copy['prefixItems'] = this.#list(tuple, depth);
    if (isRecord(items)) copy['items'] = this.copy(items, depth + 1);
    const all = Array.isArray(allOf) ? this.#list(allOf, depth, absent) : [];
    const choices = this.#choices(schema, depth, absent);
    if (choices.length === 1) Object.assign(copy, choices[0]);
    else all.push(...choices);
    if (all.length > 0) copy['allOf'] = all;
    const accepts = schema['nullable'] ?? schema['x-nullable'];
    return accepts === true ? nullable(copy) : copy;
  }

  #list(schemas: readonly unknown[], depth: number, absent: Absent = []): JsonValue[] {
    return schemas.map((schema) => this.copy(schema, depth + 1, absent));
  }

  /**
   * Alternatives. Those of `oneOf` may accept the same value here, where some of them accept more
   * than the document says.
   */
  #choices(schema: Part, depth: number, absent: Absent): { readonly anyOf: JsonValue }[] {
    return [schema['oneOf'], schema['anyOf']].flatMap((list) =>
      Array.isArray(list) && list.length > 0 ? [{ anyOf: this.#list(list, depth, absent) }] : [],
    );
  }

  #properties(schema: Part, depth: number, absent: Absent): JsonObject {
    const { properties, required, additionalProperties: more, patternProperties } = schema;
    const left = absentFrom(this.#options.document, schema, this.#mark);
    const members = Object.entries(isRecord(properties) ? properties : {})
      .filter(([name]) => !left.has(name))
      .map(([name, property]) => [name, this.copy(property, depth + 1)] as const);
    const names: unknown[] = Array.isArray(required) ? [...new Set(required)] : [];
    const needed = names.filter(
      (name) => typeof name === 'string' && !absent.some((some) => some.has(name)),
    ) as string[];
    const isOpen = left.size > 0 && this.#options.side === 'response';
    return {
      ...(members.length > 0 && { properties: Object.fromEntries(members) }),
      ...(needed.length > 0 && { required: needed }),
      ...((typeof more === 'boolean' || isRecord(more)) &&
        patternProperties === undefined &&
        !isOpen && { additionalProperties: this.copy(more, depth + 1) }),
    };
  }
}
