import { PtcError } from '../../shared/errors.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import type { SchemaCheck } from './bounded-validator.ts';
import { textRefusal } from '../patterns/hostile-text.ts';
import { isLinearRegExp } from '../patterns/patterns.ts';
import {
  ARGUMENTS,
  MAXIMUM_PROBLEMS,
  describeProblems,
  type Path,
  type Problem,
  type Subject,
} from './problems.ts';

/**
 * A schema of any library that implements version 1 of both Standard Schema and Standard JSON
 * Schema (https://standardschema.dev), such as ArkType, or Valibot with `toStandardJsonSchema`.
 * `validate` must be synchronous.
 * @typeParam Output - The type that the schema returns for a value.
 */
export interface StandardSchema<Output = unknown> {
  /** A JSON Schema from zod has `~standard` too, but is treated as a JSON Schema. */
  readonly $schema?: never;
  readonly '~standard': {
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Used only by the compiler. */
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** Returns `{ value }`, or `{ issues }` if the value does not match. */
    readonly validate: (value: unknown) => unknown;
    /**
     * Return a JSON Schema, or throw if the target is not supported or the schema cannot be
     * converted.
     */
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
  };
}

/** What `validate` returns, before it is checked. */
interface StandardResult {
  readonly value?: unknown;
  readonly issues?: readonly StandardIssue[] | undefined;
  readonly then?: unknown;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * A schema of a library, with the patterns whose time may grow faster than the length of the text.
 */
interface StandardCheck extends SchemaCheck {
  readonly unboundedPatterns: readonly RegExp[];
}

// It is unknown what a library does with a text, so it is assumed to parse and normalize it.
const refuseText = textRefusal({ hasUrls: true, hasHosts: false, hasNormalForms: true });

/**
 * Whether a value is a schema of a library that implements at least a part of Standard Schema.
 * Schemas from zod do not count: they are zod schemas, or JSON Schemas that only have this property
 * as well.
 */
export function isStandard(source: object): source is StandardSchema {
  return '~standard' in source && partsOf(source).vendor !== 'zod';
}

/** @throws Error that says what is missing, or the error of the library. */
export function fromStandard(source: StandardSchema): object {
  const { jsonSchema, vendor } = partsOf(source);
  if (typeof jsonSchema?.input !== 'function') {
    throw new Error(
      `the schema of ${vendorName(vendor)} has no "~standard".jsonSchema. ${
        vendor === 'valibot'
          ? 'Pass toStandardJsonSchema(schema) of @valibot/to-json-schema'
          : 'Use a version of the library that implements Standard JSON Schema (https://standardschema.dev/json-schema), or pass a JSON Schema'
      }`,
    );
  }
  try {
    return withoutRootReference(jsonSchema.input({ target: 'draft-2020-12' }));
  } catch (error) {
    try {
      return withoutRootReference(jsonSchema.input({ target: 'draft-07' }));
    } catch {
      throw error;
    }
  }
}

/**
 * A recursive schema may be a reference to one of its definitions, as with ArkType. The definition
 * must be at the root, where the arguments of a tool have their names.
 */
function withoutRootReference(schema: Record<string, unknown>): object {
  const { $ref, ...rest } = schema;
  if (typeof $ref !== 'string') return schema;
  const [, section = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec($ref) ?? [];
  const definitions = schema[section] as Readonly<Record<string, object>> | undefined;
  const definition = definitions?.[name];
  return definition === undefined ? schema : { ...definition, ...rest };
}

/**
 * Checks values against a schema of any library. How long that takes is unknown, so each check has
 * a time limit.
 * @throws PtcError `TOOL_INVALID` if it has no `validate`, or an asynchronous one.
 */
export function standardCheck(
  source: StandardSchema,
  jsonSchema: JsonObject,
  subject: Subject = ARGUMENTS,
): StandardCheck {
  const { validate, vendor } = partsOf(source);
  if (typeof validate !== 'function') {
    throw new PtcError(
      'TOOL_INVALID',
      `The schema of ${vendorName(vendor)} has no "~standard".validate. Pass a schema that also implements Standard Schema (https://standardschema.dev), or a JSON Schema.`,
    );
  }
  // The method may use `this`.
  const run = (value: unknown): StandardResult => {
    const result = source['~standard'].validate(value) as StandardResult | null;
    if (typeof result !== 'object' || result === null) {
      throw new Error('validate returned neither { value } nor { issues }');
    }
    return result;
  };
  if (isAsynchronous(run)) throw new PtcError('TOOL_INVALID', `The schema's ${ASYNCHRONOUS}.`);
  return {
    size: Infinity,
    refuseText,
    unboundedPatterns: unboundedPatternsIn(jsonSchema),
    check(value) {
      const result = run(value);
      if (isPromise(result)) throw new Error(ASYNCHRONOUS);
      const { issues } = result;
      if (!issues) return { valid: true, value: result.value };
      const problems = issues.slice(0, MAXIMUM_PROBLEMS).map(toProblem);
      return { valid: false, message: describeProblems(problems, value, subject, issues.length) };
    },
  };
}

const ASYNCHRONOUS =
  'validate is asynchronous, but values are checked synchronously. Use a synchronous schema, and put checks that await something into the run of the tool';

/**
 * Calls a validator once. If it throws here, it is not asynchronous; an error is reported when it
 * throws for a value.
 */
function isAsynchronous(run: (value: unknown) => StandardResult): boolean {
  try {
    return isPromise(run({}));
  } catch {
    return false;
  }
}

/**
 * Whether a result is a promise. Its rejection is handled, because an unhandled one would end the
 * process.
 */
function isPromise(result: StandardResult): boolean {
  if (typeof result.then !== 'function') return false;
  Promise.resolve(result as PromiseLike<unknown>).catch(() => {});
  return true;
}

function toProblem({ message, path = [] }: StandardIssue): Problem {
  return { kind: 'stated', path: toPath(path), text: message };
}

function toPath(path: NonNullable<StandardIssue['path']>): Path {
  return Array.from(path, (part) => {
    const key = typeof part === 'object' ? part.key : part;
    return typeof key === 'number' ? key : String(key);
  });
}

/**
 * The patterns in a JSON Schema. It is assumed that the library matches them with JavaScript's own
 * engine.
 */
function unboundedPatternsIn(jsonSchema: JsonObject): RegExp[] {
  const patterns = new Map<string, RegExp>();
  JSON.stringify(jsonSchema, (key, value: unknown) => {
    if (key !== 'pattern' || typeof value !== 'string') return value;
    const pattern = toRegExp(value);
    if (pattern && !isLinearRegExp(pattern)) patterns.set(value, pattern);
    return value;
  });
  return [...patterns.values()];
}

/**
 * Undefined if a property named "pattern" is not a regular expression, but for example a default
 * value.
 */
function toRegExp(source: string): RegExp | undefined {
  try {
    return new RegExp(source);
  } catch {
    return undefined;
  }
}

/** The parts of `~standard` that exist. */
function partsOf(source: { readonly '~standard'?: unknown }): Partial<StandardSchema['~standard']> {
  return source['~standard'] ?? {};
}

function vendorName(vendor: unknown): string {
  return typeof vendor === 'string' ? vendor : 'this library';
}
