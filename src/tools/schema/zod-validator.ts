import { PtcError } from '../../shared/errors.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import type { SchemaCheck } from './bounded-validator.ts';
import { textRefusal } from '../patterns/hostile-text.ts';
import {
  ARGUMENTS,
  MAXIMUM_PROBLEMS,
  allowedKeys,
  describeProblems,
  expectedType,
  expectedValues,
  type Path,
  type Problem,
  type Subject,
} from './problems.ts';
import { readZodSchema } from './zod-schema.ts';

/** The issues of zod 3 and zod 4. Each version and each code has its own part of the fields. */
export interface ZodIssue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

type AnyIssue = ZodIssue & {
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
  readonly options?: readonly unknown[];
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly ZodIssue[])[];
  readonly unionErrors?: readonly { readonly issues: readonly ZodIssue[] }[];
  readonly issues?: readonly ZodIssue[];
};

interface SafeParse {
  safeParse(value: unknown): {
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: { readonly issues: readonly ZodIssue[] } | undefined;
  };
}

/** A zod schema, with the facts that determine how long a check takes. */
export interface ZodCheck extends SchemaCheck {
  /** The patterns whose time may grow faster than the length of the text. */
  readonly unboundedPatterns: readonly RegExp[];
}

/**
 * Checks values against a zod schema of either version. The tool gets what the schema returns.
 * @throws PtcError `TOOL_INVALID` if a refinement or transform is an async function. Zod would call
 * it and give up its promise, whose rejection would end the process.
 */
export function zodCheck(
  schema: SafeParse,
  jsonSchema: JsonObject,
  subject: Subject = ARGUMENTS,
): ZodCheck {
  const facts = readZodSchema(schema);
  const { unboundedPatterns, isAsynchronous } = facts;
  if (isAsynchronous) {
    throw new PtcError(
      'TOOL_INVALID',
      `A refinement or transform of ${subject.schema} is an async function, but values are checked synchronously. Make it synchronous${subject === ARGUMENTS ? ", and put checks that await something into the tool's run" : ''}.`,
    );
  }
  return {
    size: unboundedPatterns.length > 0 ? Infinity : facts.size,
    unboundedPatterns,
    refuseText: textRefusal(facts),
    check(value) {
      const parsed = schema.safeParse(value);
      if (parsed.success) return { valid: true, value: parsed.data };
      const issues = parsed.error?.issues ?? [];
      const problems = new ZodProblems(jsonSchema).of(issues, []);
      // Unknown keys are one issue, but several problems.
      const found = Math.max(problems.length, issues.length);
      return { valid: false, message: describeProblems(problems, value, subject, found) };
    },
  };
}

const typeNames: Readonly<Record<string, string>> = {
  int: 'integer',
  float: 'number',
  record: 'object',
  map: 'object',
  tuple: 'array',
};

/** Turns issues into problems, up to the number that can be shown. */
class ZodProblems {
  readonly #schema: JsonObject;
  #left = MAXIMUM_PROBLEMS;

  constructor(schema: JsonObject) {
    this.#schema = schema;
  }

  of(issues: readonly AnyIssue[], parent: Path): Problem[] {
    const problems: Problem[] = [];
    for (const issue of issues) {
      if (this.#left <= 0) break;
      this.#left--;
      const keys = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
      problems.push(...this.#ofIssue(issue, [...parent, ...keys]));
    }
    return problems;
  }

  #ofIssue(issue: AnyIssue, path: Path): Problem[] {
    switch (issue.code) {
      case 'invalid_type': {
        const type = String(issue.expected);
        return [withOwnMessage(expectedType(path, typeNames[type] ?? type), issue)];
      }
      case 'invalid_value':
        return [withOwnMessage(expectedValues(path, issue.values ?? []), issue)];
      case 'invalid_literal':
        return [withOwnMessage(expectedValues(path, [issue.expected]), issue)];
      case 'invalid_enum_value':
      case 'invalid_union_discriminator':
        return [withOwnMessage(expectedValues(path, issue.options ?? []), issue)];
      case 'unrecognized_keys':
        return this.#unknownKeys(issue.keys ?? [], path);
      case 'invalid_union':
        return [this.#union(issue, path)];
      default: {
        const inner = issue.issues?.[0]?.message;
        const text = inner ? `${issue.message}: ${inner}` : issue.message;
        return [{ kind: 'other', path, text }];
      }
    }
  }

  #unknownKeys(keys: readonly string[], path: Path): Problem[] {
    const allowed = allowedKeys(this.#schema, path);
    const shown = keys.slice(0, Math.max(this.#left, 1));
    this.#left -= shown.length;
    return shown.map((key) => ({ kind: 'unknown', path, key, allowed }));
  }

  #union(issue: AnyIssue, path: Path): Problem {
    // A discriminated union of zod 4 has only the values of its tag, no branches.
    if (issue.errors?.length === 0 && issue.options) return expectedValues(path, issue.options);
    const branches = issue.errors
      ? issue.errors.map((issues) => this.of(issues, path))
      : // The paths of zod 3 start at the root.
        (issue.unionErrors ?? []).map(({ issues }) => this.of(issues, []));
    // The last ones are empty if there were more than are shown.
    return { kind: 'union', path, branches: branches.filter(({ length }) => length > 0) };
  }
}

/** Keeps a message that the tool's author wrote into the schema. */
function withOwnMessage(problem: Problem, issue: AnyIssue): Problem {
  if (problem.kind !== 'expected' || /^(Invalid|Expected|Required)\b/.test(issue.message)) {
    return problem;
  }
  return {
    kind: 'other',
    path: problem.path,
    text: `${issue.message} (expected ${problem.expected})`,
  };
}
