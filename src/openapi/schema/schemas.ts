import { isRecord } from '../../shared/guards.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import type { OpenApiDocument } from '../document/document.ts';
import { unescaped } from '../document/pointer.ts';
import { sizeOf, type SchemaSize } from '../../tools/schema/schema-size.ts';
import { deepFreeze, shareSchema } from '../../tools/schema/shared-schema.ts';
import { copySchema, isLarger, type CopiedSchema, type Side } from './copy-schema.ts';
import { nullable } from './keywords.ts';

/** Of a schema with all that it refers to. A tool of a source can have somewhat more. */
const MAXIMUM: SchemaSize = { parts: 1500, characters: 60_000 };

/** The name of a definition must not have a meaning for objects. */
const SPECIAL = new Set(['__proto__', 'constructor', 'prototype']);

/** The member `$defs` of a schema, or nothing, and its size. */
type Definitions = Pick<CopiedSchema, 'schema' | 'size'>;

/**
 * The schemas of one document as JSON Schemas (2020-12). Each is converted once for arguments and
 * once for results, however many operations refer to it.
 */
export class Schemas {
  readonly #document: OpenApiDocument;
  readonly #copies: Readonly<Record<Side, Map<unknown, CopiedSchema>>> = {
    request: new Map(),
    response: new Map(),
  };
  readonly #orNull: Map<CopiedSchema, CopiedSchema> = new Map();
  /** The names of definitions, by references. */
  readonly #names: Map<string, string> = new Map();
  readonly #references: Map<string, string> = new Map();
  /** The last number that made a name of a word that other names have too. */
  readonly #counts: Map<string, number> = new Map();
  /** By all that they depend on: many operations need the same ones. */
  readonly #definitions: Map<string, Definitions> = new Map();

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** A copy of a schema. It refers to definitions by `#/$defs/…`, which `withDefinitions` adds. */
  copy(schema: unknown, side: Side): CopiedSchema {
    const known = this.#copies[side].get(schema);
    if (known !== undefined) return known;
    const copy = copySchema(schema, {
      side,
      document: this.#document,
      nameOf: (reference) => this.#nameOf(reference),
    });
    this.#copies[side].set(schema, copy);
    return copy;
  }

  /** A copy that accepts null too. */
  orNull(copy: CopiedSchema): CopiedSchema {
    const known = this.#orNull.get(copy);
    if (known !== undefined) return known;
    const schema = deepFreeze(nullable(copy.schema));
    const made = { ...copy, schema, size: sizeOf(schema) };
    this.#orNull.set(copy, made);
    return made;
  }

  /** Whether schemas leave no room for what else a tool needs, even without their definitions. */
  areTooLarge(copies: readonly CopiedSchema[]): boolean {
    return isLarger(sumOf(copies), MAXIMUM);
  }

  /** A schema that is put together from copies, with the definitions to which they refer. */
  withDefinitions(schema: JsonObject, copies: readonly CopiedSchema[], side: Side): JsonObject {
    const definitions = this.#definitionsFor(copies, side);
    const size = sumOf([{ size: sizeOf(schema) }, definitions]);
    return shareSchema({ ...schema, ...definitions.schema }, size);
  }

  #definitionsFor(copies: readonly CopiedSchema[], side: Side): Definitions {
    // Their names can be too many to remember.
    if (this.areTooLarge(copies)) return this.#define(copies, side);
    const { parts, characters } = sumOf(copies);
    const key = [side, parts, characters, ...copies.flatMap(({ names }) => names)].join();
    const definitions = this.#definitions.get(key) ?? this.#define(copies, side);
    this.#definitions.set(key, definitions);
    return definitions;
  }

  /** Definitions that do not fit, the last ones to be reached, accept every value. */
  #define(copies: readonly CopiedSchema[], side: Side): Definitions {
    const definitions = new Map<string, JsonObject>();
    const waiting = copies.flatMap(({ names }) => names);
    const fitting: CopiedSchema[] = [];
    let size = sumOf(copies);
    for (let at = 0; at < waiting.length; at++) {
      const name = waiting[at] ?? '';
      if (definitions.has(name)) continue;
      const reference = this.#references.get(name) ?? '';
      const copy = this.copy(this.#document.resolve({ $ref: reference }), side);
      const next = sumOf([{ size }, copy]);
      const fits = !isLarger(next, MAXIMUM);
      definitions.set(name, fits ? copy.schema : {});
      if (!fits) continue;
      size = next;
      fitting.push(copy);
      waiting.push(...copy.names);
    }
    const schema = definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) };
    return { schema, size: sumOf(fitting) };
  }

  /** The name of the definition that stands for a reference; undefined if it leads nowhere. */
  #nameOf(reference: string): string | undefined {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    if (!isRecord(this.#document.resolve({ $ref: reference }))) return undefined;
    const last = unescaped(reference.slice(reference.lastIndexOf('/') + 1));
    const word = last.slice(0, 60).replaceAll(/\W/g, '_');
    const base = word === '' || SPECIAL.has(word) ? `schema_${word}` : word;
    let name = base;
    // From the last one on, because many references can give the same word.
    let count = this.#counts.get(base) ?? 1;
    while (this.#references.has(name)) name = `${base}_${++count}`;
    this.#counts.set(base, count);
    this.#names.set(reference, name);
    this.#references.set(name, reference);
    return name;
  }
}

function sumOf(copies: readonly Pick<CopiedSchema, 'size'>[]): SchemaSize {
  let [parts, characters] = [0, 0];
  for (const { size } of copies) {
    parts += size.parts;
    characters += size.characters;
  }
  return { parts, characters };
}
