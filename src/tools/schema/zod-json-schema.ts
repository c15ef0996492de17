import { createRequire } from 'node:module';
import type * as ZodCore from 'zod/v4/core';
import type * as ZodToJsonSchema from 'zod-to-json-schema';
import type { OverrideCallback } from 'zod-to-json-schema';
import { loadDependency } from '../../shared/installation.ts';

// Loaded with the first schema of each kind, so that importing the package stays cheap.
const load = createRequire(import.meta.url);

/** What a schema is for: arguments come from JSON, results become JSON. */
export type Side = 'input' | 'output';

/** A schema of zod 4, of any installed copy. */
export interface Zod4Schema {
  readonly _zod: unknown;
  /** Schemas of recent versions convert themselves. */
  readonly toJSONSchema?: (parameters: ZodCore.ToJSONSchemaParams) => object;
}

export function isZod4<Source extends object>(source: Source): source is Source & Zod4Schema {
  return '_zod' in source;
}

/** Types that JSON cannot represent, by their names in zod 4 and zod 3, and what to use instead. */
const remedies: Readonly<Record<string, string>> = {
  date: 'z.iso.datetime() or z.coerce.date()',
  bigint: 'z.coerce.bigint() or a string',
  map: 'z.record(…)',
  set: 'z.array(…)',
  symbol: 'z.string()',
  nan: 'z.null()',
  undefined: '.optional()',
  void: '.optional()',
  function: 'data',
  promise: 'what it resolves to',
};

/** @throws Error for a type that JSON cannot represent. */
export function fromZod4(source: Zod4Schema, side: Side): object {
  const parameters: ZodCore.ToJSONSchemaParams = {
    // Results are not parsed, so the input side of the schema describes what the program gets.
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema: { _zod: internals }, jsonSchema, path }) => {
      if (internals.toJSONSchema !== undefined) return;
      const definition = internals.def as { readonly type: string; readonly coerce?: boolean };
      Object.assign(
        jsonSchema,
        representation(definition.type, definition.coerce === true, side, path),
      );
    },
  };
  try {
    const converted = source.toJSONSchema?.(parameters);
    if (converted !== undefined) return converted;
  } catch {
    // Perhaps it has parts of zod mini or of an older copy, which cannot convert themselves.
  }
  // As a CommonJS module: in most programs a second time, with its messages in fifty languages.
  const { toJSONSchema } = loadDependency(() => load('zod/v4/core') as typeof ZodCore);
  return toJSONSchema(source as unknown as ZodCore.$ZodType, parameters);
}

/** @throws Error for a type that JSON cannot represent. */
export function fromZod3(source: object, side: Side): object {
  const { zodToJsonSchema, ignoreOverride } = loadDependency(
    () => load('zod-to-json-schema') as typeof ZodToJsonSchema,
  );
  return zodToJsonSchema(source as Parameters<typeof zodToJsonSchema>[0], {
    // Keys that a schema strips are accepted.
    removeAdditionalStrategy: 'strict',
    allowedAdditionalProperties: undefined,
    override: (definition, { currentPath }) => {
      const { typeName, coerce } = definition as { typeName?: string; coerce?: boolean };
      const type = String(typeName).replace(/^Zod/, '').toLowerCase();
      const found = representation(type, coerce === true, side, currentPath.slice(1));
      return (found ?? ignoreOverride) as ReturnType<OverrideCallback>;
    },
  });
}

/** The JSON Schema of a type that JSON does not have; undefined if the converter may decide. */
function representation(
  type: string,
  isCoerced: boolean,
  side: Side,
  path: readonly (string | number)[],
): { type: 'string' | 'integer' | 'null'; format?: string } | undefined {
  const remedy = remedies[type];
  if (remedy === undefined) return undefined;
  if (type === 'date' && (isCoerced || side === 'output')) {
    return { type: 'string', format: 'date-time' };
  }
  if (type === 'bigint' && isCoerced && side === 'input') return { type: 'integer' };
  // A tool that returns nothing sends null.
  if ((type === 'undefined' || type === 'void') && side === 'output') return { type: 'null' };
  throw new Error(
    `JSON cannot represent the ${type} at ${path.length === 0 ? 'its root' : path.join('.')}; use ${remedy}`,
  );
}
