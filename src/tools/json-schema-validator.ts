import { createRequire } from 'node:module';
import type { Ajv as AjvClass, ErrorObject, ValidateFunction } from 'ajv';
import { PtcError, messageOf } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import {
  describeProblems,
  expectedType,
  expectedValues,
  type Path,
  type Problem,
} from './problems.ts';
import type { Validation } from './tool.ts';

// Loaded at the first raw JSON Schema: who only uses zod never pays for it.
const load = createRequire(import.meta.url);

/**
 * Checks values by a JSON Schema: draft-07 where `$schema` says so, else 2020-12.
 * Values are never coerced, completed or changed.
 * @throws PtcError `TOOL_INVALID` where the schema cannot be compiled.
 */
export function jsonSchemaValidator(schema: JsonObject): (value: unknown) => Validation {
  const validate = compile(schema);
  return (value) => {
    try {
      if (validate(value)) return { valid: true, value };
    } catch (error) {
      return { valid: false, message: `the tool's input schema failed: ${messageOf(error)}` };
    }
    return {
      valid: false,
      message: describeProblems(toProblems(validate.errors ?? [], value), value),
    };
  };
}

function compile(schema: JsonObject): ValidateFunction {
  const ajv = ajvFor(schema);
  try {
    return ajv.compile(schema);
  } catch (error) {
    throw new PtcError(
      'TOOL_INVALID',
      `The JSON Schema cannot be used: ${messageOf(error)}. Schemas are 2020-12, or draft-07 where $schema says so, without references to other documents.`,
      { cause: error },
    );
  } finally {
    // Else every schema ever compiled stays in memory.
    ajv.removeSchema(schema);
  }
}

const options = {
  allErrors: true,
  verbose: true,
  strict: false,
  logger: false,
  // Else a property named "constructor" would always seem to be there.
  ownProperties: true,
  code: { regExp: Object.assign(lenientRegExp, { code: 'new RegExp' }) },
} as const;

/** Many patterns in the wild are no Unicode patterns, for an escape like `\@` alone. */
function lenientRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

/** Making one takes as long as compiling its metaschema, so schemas share one of each draft. */
const shared = new Map<boolean, AjvClass>();

function ajvFor(schema: JsonObject): AjvClass {
  const { $schema: dialect } = schema;
  const isDraft07 = typeof dialect === 'string' && dialect.includes('draft-07');
  // An instance keeps ids, and one that is JSON Schema's own would break it for every other tool.
  if (JSON.stringify(schema).includes('"$id"')) return newAjv(isDraft07);
  const ajv = shared.get(isDraft07) ?? newAjv(isDraft07);
  shared.set(isDraft07, ajv);
  return ajv;
}

function newAjv(isDraft07: boolean): AjvClass {
  const { Ajv } = load('ajv') as typeof import('ajv');
  const { Ajv2020 } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const formats = load('ajv-formats') as typeof import('ajv-formats');
  const ajv = isDraft07 ? new Ajv(options) : new Ajv2020(options);
  formats.default(ajv);
  // Patterns are compiled, which says more than this format of the metaschema, and less strictly.
  ajv.addFormat('regex', true);
  return ajv;
}

/** Ajv lists the errors of a union's branches before the union's own; they are gathered under it. */
function toProblems(errors: readonly ErrorObject[], input: unknown): Problem[] {
  let problems: { readonly problem: Problem; readonly error: ErrorObject }[] = [];
  for (const error of errors) {
    if (error.keyword === 'if') continue;
    const path = toPath(error.instancePath, input);
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      problems.push({ problem: toProblem(error, path), error });
      continue;
    }
    const branches = new Map<string, Problem[]>();
    const rest: typeof problems = [];
    for (const entry of problems) {
      const branch = branchOf(entry.error, error);
      if (branch === undefined) rest.push(entry);
      else branches.set(branch, [...(branches.get(branch) ?? []), entry.problem]);
    }
    const matchesSeveral = Array.isArray(error.params['passingSchemas']);
    const problem: Problem = matchesSeveral
      ? { kind: 'other', path, text: 'matches more than one of the allowed forms' }
      : { kind: 'union', path, branches: [...branches.values()] };
    problems = [...rest, { problem, error }];
  }
  return problems.map((entry) => entry.problem);
}

/** The branch of a union that an error is of; undefined where it is of none. */
function branchOf(error: ErrorObject, union: ErrorObject): string | undefined {
  const inside = `${error.instancePath}/`.startsWith(`${union.instancePath}/`);
  if (!inside) return undefined;
  const prefix = `${union.schemaPath}/`;
  if (error.schemaPath.startsWith(prefix))
    return error.schemaPath.slice(prefix.length).split('/')[0];
  // A branch behind a $ref: its errors name the definition and not the way to it.
  const siblings = union.schemaPath.slice(0, union.schemaPath.lastIndexOf('/') + 1);
  if (error.schemaPath.startsWith(siblings)) return undefined;
  return error.schemaPath.split('/').slice(0, 3).join('/');
}

function toProblem(error: ErrorObject, path: Path): Problem {
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case 'type':
      return expectedType(path, [params['type']].flat().join(' or '));
    case 'enum':
      return expectedValues(path, params['allowedValues'] as readonly unknown[]);
    case 'const':
      return expectedValues(path, [params['allowedValue']]);
    case 'required': {
      const name = String(params['missingProperty']);
      return expectedType([...path, name], typeOfProperty(error, name));
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      const allowed = Object.keys((error.parentSchema?.['properties'] ?? {}) as object);
      return { kind: 'unknown', path, key, allowed };
    }
    case 'format':
      return { kind: 'other', path, text: `must be in the format "${String(params['format'])}"` };
    case 'false schema':
      return { kind: 'other', path, text: 'is not allowed' };
    default:
      return { kind: 'other', path, text: error.message ?? `does not satisfy "${error.keyword}"` };
  }
}

function typeOfProperty(error: ErrorObject, name: string): string {
  const properties = error.parentSchema?.['properties'] as Record<string, unknown> | undefined;
  const property = properties?.[name] as { readonly type?: unknown } | undefined;
  const types = [property?.type].flat().filter((type) => typeof type === 'string');
  return types.length === 0 ? 'a value' : types.join(' or ');
}

/** Splits a JSON pointer; what indexes an array becomes a number. */
function toPath(pointer: string, input: unknown): (string | number)[] {
  let at = input;
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const key = Array.isArray(at) ? Number(name) : name;
      at = (at as Record<PropertyKey, unknown>)[key];
      return key;
    });
}
