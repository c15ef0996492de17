import { PtcError, messageOf } from '../../shared/errors.ts';
import { isRecord } from '../../shared/guards.ts';
import { throwIfIncomplete } from '../../shared/installation.ts';
import { toJsonText, type JsonObject } from '../../shared/json/json.ts';
import { withBoundedTexts } from './bounded-texts.ts';
import { boundedValidator, whenNeeded, type Validate } from './bounded-validator.ts';
import { jsonSchemaCheck, resultCheck } from './json-schema-validator.ts';
import { ARGUMENTS, RESULT, type Subject } from './problems.ts';
import { assertCompilable } from './schema-size.ts';
import { deepFreeze, isShared, sharedSizeOf } from './shared-schema.ts';
import { fromStandard, isStandard, standardCheck, type StandardSchema } from './standard-schema.ts';
import { fromZod3, fromZod4, isZod4, type Side } from './zod-json-schema.ts';
import { zodCheck, type ZodIssue } from './zod-validator.ts';

/**
 * A zod schema, described by what versions 3 and 4 have in common. Schemas of any installed copy of
 * zod fit, and the types of zod 3 need not be installed.
 */
export type ZodSchema<Output = unknown> = (
  | { readonly _output: Output }
  | { readonly _zod: { readonly output: Output } }
) & {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: Output }
    | { readonly success: false; readonly error: { readonly issues: readonly ZodIssue[] } };
};

/** A JSON Schema: draft-07 if its `$schema` says so, otherwise 2020-12. */
export type JsonSchemaSource =
  | {
      readonly safeParse?: never;
      readonly '~standard'?: never;
      readonly [keyword: string]: unknown;
    }
  // Interfaces have no index signature.
  | { readonly safeParse?: never; readonly '~standard'?: never; readonly type?: unknown }
  // A JSON Schema from zod has `~standard`.
  | { readonly safeParse?: never; readonly $schema?: unknown };

/**
 * A schema from which types are inferred.
 * @typeParam Output - The type that it returns for a value.
 */
export type TypedSchema<Output = unknown> = ZodSchema<Output> | StandardSchema<Output>;

/** @typeParam Output - The type that a schema returns for a value, unless it is a JSON Schema. */
export type SchemaSource<Output = unknown> = TypedSchema<Output> | JsonSchemaSource;

export interface ResolvedSchema {
  readonly jsonSchema: JsonObject;
  readonly validate: Validate;
  /** Patterns whose time may grow faster than the length of the text. */
  readonly unboundedPatterns: readonly RegExp[];
}

/**
 * When a JSON Schema is compiled. A schema that is compiled at the first call is bounded instead, so
 * that this cannot block the event loop for long. Schemas of zod and other libraries need no
 * compiling.
 */
export type Compile = 'now' | 'first call';

/**
 * The JSON Schema and the validator of a tool's input.
 * @param options.onPatterns - Gets the patterns whose time may grow faster than the length of the
 *   text. Not called for a schema that is compiled at the first call: to try its patterns out would
 *   block the event loop, and who defines the tool cannot rewrite them.
 * @throws PtcError `TOOL_INVALID` if the schema cannot be converted or compiled, is too large to be
 * compiled at the first call, or is not an object schema.
 */
export function resolveInputSchema(
  source: SchemaSource,
  {
    compile,
    onPatterns,
  }: {
    readonly compile: Compile;
    readonly onPatterns: (unbounded: readonly RegExp[]) => void;
  },
): Pick<ResolvedSchema, 'jsonSchema' | 'validate'> {
  const jsonSchema = toJsonSchema(source, 'input', { compile });
  const { type } = jsonSchema;
  if (type !== 'object') {
    const given = type === undefined ? 'has no type' : `has the type ${JSON.stringify(type)}`;
    throw invalid(
      `The input schema is not an object schema, but ${given}, and a tool's arguments always have names. Use ${objectSchema(source)}.`,
    );
  }
  if (compile === 'now' || isConverted(source)) {
    const { validate, unboundedPatterns } = resolve(source, jsonSchema, ARGUMENTS);
    onPatterns(unboundedPatterns);
    return { jsonSchema, validate };
  }
  assertCompilable(jsonSchema, 'input schema', sharedSizeOf(jsonSchema));
  const validator = (): Validate => resolve(source, jsonSchema, ARGUMENTS).validate;
  return { jsonSchema, validate: whenNeeded(validator, ARGUMENTS) };
}

/** Whether a schema is from a library, whose validator is used. */
function isConverted(source: SchemaSource): boolean {
  return isZod(source) || isStandard(source);
}

function objectSchema(source: SchemaSource): string {
  if (isZod(source)) return 'z.object({…}), with unions inside it';
  return isStandard(source)
    ? 'an object schema, with unions inside it'
    : '{ "type": "object", "properties": {…} }';
}

/**
 * The JSON Schema and the validator of a value of any type that comes as JSON, such as a model's
 * answer.
 * @param subject - The words for the value in messages.
 * @throws PtcError `TOOL_INVALID` if the schema cannot be converted or compiled.
 */
export function resolveValueSchema(source: SchemaSource, subject: Subject): ResolvedSchema {
  return resolve(source, toJsonSchema(source, 'input', { name: 'schema' }), subject);
}

function resolve(source: SchemaSource, jsonSchema: JsonObject, subject: Subject): ResolvedSchema {
  // Raw schemas are compiled at once, so that an invalid one fails here and not at the first value.
  const check = isZod(source)
    ? zodCheck(source, jsonSchema, subject)
    : isStandard(source)
      ? standardCheck(source, jsonSchema, subject)
      : jsonSchemaCheck(jsonSchema, subject);
  const { unboundedPatterns } = check;
  return { jsonSchema, validate: boundedValidator(check, subject), unboundedPatterns };
}

/**
 * The JSON Schema of a tool's result and its validator.
 * @throws PtcError `TOOL_INVALID` if the schema cannot be converted or compiled.
 */
export function resolveOutputSchema(
  source: SchemaSource,
  compile: Compile,
): Pick<ResolvedSchema, 'jsonSchema' | 'validate'> {
  const jsonSchema = toJsonSchema(source, 'output', { compile });
  // Libraries define formats differently, for example times without a time zone.
  const checksFormats = !isConverted(source);
  if (compile === 'first call') {
    assertCompilable(jsonSchema, 'output schema', sharedSizeOf(jsonSchema));
  } else if (checksFormats) resultCheck(jsonSchema, true);
  // Results are checked against the JSON Schema, whatever library the schema is from: that is what
  // the model has read. They may never be checked.
  const validator = (): Validate =>
    boundedValidator(resultCheck(jsonSchema, checksFormats), RESULT);
  return { jsonSchema, validate: whenNeeded(validator, RESULT) };
}

function toJsonSchema(
  source: SchemaSource,
  side: Side,
  {
    name = `${side} schema`,
    compile = 'now',
  }: { readonly name?: string; readonly compile?: Compile },
): JsonObject {
  if (isShared(source)) return source;
  if (!isSchema(source)) {
    throw invalid(
      `The ${name} is neither a schema of zod, ArkType, Valibot or another library with Standard JSON Schema, nor a JSON Schema object.`,
    );
  }
  if (isZodShape(source)) {
    throw invalid(`The ${name} is an object of zod schemas. Wrap it: z.object({…}).`);
  }
  try {
    // zod-to-json-schema accepts schemas of zod 4 without an error and returns an empty schema.
    const raw = isZod4(source)
      ? fromZod4(source, side)
      : isZod(source)
        ? fromZod3(source, side)
        : isStandard(source)
          ? fromStandard(source)
          : source;
    // A copy, so that later changes to the caller's object do not affect the tool.
    const copy = JSON.parse(toJsonText(raw)) as JsonObject;
    // A schema that is compiled at the first call may come from elsewhere, and models read its texts.
    return deepFreeze(compile === 'now' ? copy : withBoundedTexts(copy));
  } catch (error) {
    throwIfIncomplete(error);
    const reason = messageOf(error).replace(/^result\b/, 'schema');
    throw new PtcError(
      'TOOL_INVALID',
      `The ${name} cannot be converted to a JSON Schema: ${reason}`,
      {
        cause: error,
      },
    );
  }
}

/** Schemas of ArkType are functions. */
function isSchema(source: unknown): source is SchemaSource {
  if (typeof source === 'function') return isStandard(source);
  return typeof source === 'object' && source !== null && !Array.isArray(source);
}

function isZod(source: object): source is ZodSchema {
  return 'safeParse' in source && typeof source.safeParse === 'function';
}

/** The object that `z.object` takes, which other libraries accept without it. */
function isZodShape(source: SchemaSource): boolean {
  if (isZod(source) || isStandard(source)) return false;
  return Object.values(source).some((member) => isRecord(member) && isZod(member));
}

function invalid(message: string): PtcError {
  return new PtcError('TOOL_INVALID', message);
}
