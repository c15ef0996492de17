import { createRequire } from 'node:module';
import type { Ajv as AjvClass, ValidateFunction } from 'ajv';
import { PtcError, messageOf } from '../../shared/errors.ts';
import { loadDependency, throwIfIncomplete } from '../../shared/installation.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import type { SchemaCheck } from './bounded-validator.ts';
import { describeSchemaErrors, toProblems } from './json-schema-problems.ts';
import { CompileBudget } from '../patterns/compile-cost.ts';
import { compilePattern, type Pattern } from '../patterns/patterns.ts';
import { multipleOf } from './multiple-of.ts';
import {
  ARGUMENTS,
  MAXIMUM_PROBLEMS,
  RESULT,
  cutText,
  describeProblems,
  type Subject,
} from './problems.ts';
import { INLINED_KEYWORDS, jsonSchemaSize } from './schema-size.ts';
import { uniqueItems } from './unique-items.ts';

// Loaded at the first raw JSON Schema, so that users of zod never pay for it.
const load = createRequire(import.meta.url);

/** How many parts of a schema may be compiled while a call waits: each takes about 0.1 ms. */
const MAXIMUM_COMPILED_AT_CALL = 100;

/** Characters of the reason why a schema cannot be compiled, which may quote it. */
const MAXIMUM_REASON = 1000;

/** A compiled JSON Schema. */
export interface JsonSchemaCheck extends SchemaCheck {
  /** The patterns whose time may grow faster than the length of the text. */
  readonly unboundedPatterns: readonly RegExp[];
}

/**
 * Checks values against a JSON Schema: draft-07 if `$schema` says so, otherwise 2020-12. Values are
 * never coerced, completed or changed.
 * @throws PtcError `TOOL_INVALID` if the schema cannot be compiled.
 */
export function jsonSchemaCheck(schema: JsonObject, subject: Subject = ARGUMENTS): JsonSchemaCheck {
  const { validate, unboundedPatterns, size } = compile(schema, ARGUMENT_RULES);
  // Few calls need a second validator, so that of a small schema is compiled when it is first
  // needed. For a large schema, this would block the event loop, and validation with a time limit
  // needs it in advance: a compiler that was interrupted cannot be used again.
  let findAll =
    size > MAXIMUM_COMPILED_AT_CALL ? compile(schema, ALL_PROBLEMS).validate : undefined;
  return {
    size,
    unboundedPatterns,
    check(value) {
      if (validate(value)) return { valid: true, value };
      return { valid: false, message: describe(validate, value, subject) };
    },
    describeAll(value) {
      findAll ??= compile(schema, ALL_PROBLEMS).validate;
      findAll(value);
      return describe(findAll, value, subject);
    },
  };
}

/**
 * Checks results of tools against a JSON Schema, up to the first problem.
 * @param checksFormats - Whether a text must have the `format` that the schema names.
 * @throws PtcError `TOOL_INVALID` if the schema cannot be compiled.
 */
export function resultCheck(schema: JsonObject, checksFormats: boolean): SchemaCheck {
  const { validate, size } = compile(schema, { findsAll: false, checksFormats });
  return {
    size,
    check(value) {
      if (validate(value)) return { valid: true, value };
      return { valid: false, message: describe(validate, value, RESULT) };
    },
  };
}

function describe({ errors }: ValidateFunction, value: unknown, subject: Subject): string {
  const all = errors ?? [];
  const problems = toProblems(all.slice(0, MAXIMUM_PROBLEMS), value);
  const others = Math.max(all.length - MAXIMUM_PROBLEMS, 0);
  return describeProblems(problems, value, subject, problems.length + others);
}

interface CompiledSchema {
  readonly validate: ValidateFunction;
  readonly unboundedPatterns: readonly RegExp[];
  readonly size: number;
}

interface Rules {
  /** Whether a validator goes on after the first problem. */
  readonly findsAll: boolean;
  readonly checksFormats: boolean;
}

const ARGUMENT_RULES: Rules = { findsAll: false, checksFormats: true };
const ALL_PROBLEMS: Rules = { findsAll: true, checksFormats: true };

/** @throws PtcError `TOOL_INVALID` if the schema cannot be compiled. */
function compile(schema: JsonObject, rules: Rules): CompiledSchema {
  const unbounded = new Set<RegExp>();
  const budget = new CompileBudget();
  // Schemas often have the same pattern many times, such as that of a date.
  const patterns = new Map<string, Pattern>();
  let isSimple = true;
  const regExp = (source: string): Pattern => {
    const pattern = patterns.get(source) ?? compilePattern(source, budget);
    patterns.set(source, pattern);
    isSimple &&= pattern.isSimple;
    if (pattern.unbounded) unbounded.add(pattern.unbounded);
    return pattern;
  };
  try {
    // A schema is compiled for all errors only after it was found valid.
    if (!rules.findsAll) validateSchema(schema);
    const validate = newAjv(schema, rules, regExp).compile(schema);
    // The linear engine's time for each character grows with the pattern.
    const size = isSimple ? jsonSchemaSize(schema) : Infinity;
    return { validate, unboundedPatterns: [...unbounded], size };
  } catch (error) {
    throwIfIncomplete(error);
    throw new PtcError(
      'TOOL_INVALID',
      `The JSON Schema cannot be used: ${cutText(messageOf(error), MAXIMUM_REASON)}. Schemas must be 2020-12, or draft-07 if $schema says so, without references to other documents.`,
      { cause: error },
    );
  }
}

/** Changes the code of a validator before it is compiled. */
function processCode(code: string): string {
  // Ajv's condition for a missing property is the property's name, so it never detects a missing
  // property named "".
  const corrected = code.replace(/\(missing\d+ = ""\)/g, '($& === "")');
  // Ajv escapes the whole name again for each problem inside a property, which takes long for many
  // problems in a property with a long name. The code contains names, so the search begins only at the
  // beginning of a word: otherwise it takes time quadratic in a name's length.
  const escaped = corrected.replace(
    /\b(\w+)\.replace\(\/~\/g, "~0"\)\.replace\(\/\\\/\/g, "~1"\)/g,
    'self.escapeName($1)',
  );
  // V8 compiles a function in parentheses at once, and others at their first call: 100 ms for 500
  // properties.
  return `${escaped.replace('return function ', 'return (function ')})`;
}

/** Escaping a shorter name is as fast as looking it up. */
const SHORT_NAME = 64;
const MOST_LONG_NAMES = 100;

/**
 * Escapes a property's name as part of a JSON pointer (RFC 6901). Long names are escaped only once.
 */
function nameEscaper(): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    if (name.length <= SHORT_NAME) return escapeName(name);
    let escaped = known.get(name);
    if (escaped === undefined) {
      if (known.size >= MOST_LONG_NAMES) known.clear();
      escaped = escapeName(name);
      known.set(name, escaped);
    }
    return escaped;
  };
}

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

const options = {
  verbose: true,
  strict: false,
  strictNumbers: true,
  logger: false,
  // Otherwise a property named "constructor" would always seem to exist.
  ownProperties: true,
  // Copying whole schemas to each reference would take time that grows with the square of the size.
  inlineRefs: INLINED_KEYWORDS,
  validateSchema: false,
} as const;

/** The path of a longer URL is checked separately from what comes before it. */
const MAXIMUM_URL = 300;

/** The format `url` of ajv-formats, whose own expression takes quadratic time. */
function isUrl(text: string, pattern: RegExp): boolean {
  if (text.length <= MAXIMUM_URL) return pattern.test(text);
  const path = text.indexOf('/', text.indexOf('://') + 3);
  return (
    path !== -1 && path <= MAXIMUM_URL && !/\s/.test(text) && pattern.test(text.slice(0, path))
  );
}

/**
 * The validators of the metaschema of each draft. One takes 20 ms to compile, so all schemas share
 * it.
 */
const schemaCheckers = new Map<string, AjvClass>();

function validateSchema(schema: JsonObject): void {
  const { Ajv, name } = draftOf(schema);
  let checker = schemaCheckers.get(name);
  if (checker === undefined) {
    // To shorten the code takes a quarter of that time, and more than it saves.
    checker = new Ajv({ ...options, code: { optimize: false } });
    // Patterns are compiled later, which checks them better than this format of the metaschema.
    checker.addFormat('regex', true);
    schemaCheckers.set(name, checker);
  }
  // `$schema` can be another address of the draft, or a draft that Ajv does not know.
  const { $schema: dialect, ...rest } = schema;
  if (checker.validateSchema(typeof dialect === 'string' ? rest : schema) !== true) {
    throw new Error(describeSchemaErrors(checker.errors ?? [], schema));
  }
  // A keyword of Ajv: its validator would return promises.
  if (schema['$async'] === true) throw new Error('schema/$async cannot be true');
}

/**
 * One for each schema, because an instance keeps everything that it has compiled, and the ids in
 * it.
 */
function newAjv(
  schema: JsonObject,
  { findsAll, checksFormats }: Rules,
  regExp: (source: string) => Pattern,
): AjvClass {
  const { Ajv } = draftOf(schema);
  const formats = loadDependency(() => load('ajv-formats') as typeof import('ajv-formats'));
  const ajv = new Ajv({
    ...options,
    allErrors: findsAll,
    validateFormats: checksFormats,
    code: {
      // Ajv would generate source code, which is needed only for validators in files.
      regExp: Object.assign(regExp, { code: 'new RegExp' }),
      // This would make the code a tenth shorter, in quadratic time.
      optimize: false,
      process: processCode,
    },
  });
  // For the code that `processCode` returns.
  Object.assign(ajv, { escapeName: nameEscaper() });
  formats.default(ajv);
  ajv.addFormat('regex', true);
  const url = formats.default.get('url') as RegExp;
  ajv.addFormat('url', (text: string) => isUrl(text, url));
  ajv.removeKeyword('multipleOf').addKeyword(multipleOf);
  ajv.removeKeyword('uniqueItems').addKeyword(uniqueItems);
  return ajv;
}

function draftOf({ $schema: dialect }: JsonObject): {
  readonly name: string;
  readonly Ajv: typeof AjvClass;
} {
  if (typeof dialect === 'string' && dialect.includes('draft-07')) {
    return { name: 'draft-07', Ajv: loadDependency(() => load('ajv') as typeof import('ajv')).Ajv };
  }
  const { Ajv2020 } = loadDependency(
    () => load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js'),
  );
  return { name: '2020-12', Ajv: Ajv2020 };
}
