import { messageOf } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json.ts';
import {
  allowedKeys,
  describeProblems,
  expectedType,
  expectedValues,
  type Path,
  type Problem,
} from './problems.ts';
import type { Validation } from './tool.ts';

/** What the issues of zod 3 and zod 4 have in them, each version and each code its own part. */
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

/** Checks arguments by a zod schema of either version; the tool gets what the schema makes of them. */
export function zodValidator(
  schema: SafeParse,
  jsonSchema: JsonObject,
): (value: unknown) => Validation {
  return (value) => {
    try {
      const parsed = schema.safeParse(value);
      if (parsed.success) return { valid: true, value: parsed.data };
      const problems = (parsed.error?.issues ?? []).flatMap((issue) =>
        toProblems(issue, [], jsonSchema),
      );
      return { valid: false, message: describeProblems(problems, value) };
    } catch (error) {
      // Asynchronous refinements and a refinement that throws end here.
      return { valid: false, message: `the tool's input schema failed: ${messageOf(error)}` };
    }
  };
}

const typeNames: Readonly<Record<string, string>> = {
  int: 'integer',
  float: 'number',
  record: 'object',
  map: 'object',
  tuple: 'array',
};

function toProblems(issue: AnyIssue, parent: Path, schema: JsonObject): Problem[] {
  const path = [
    ...parent,
    ...issue.path.map((key) => (typeof key === 'number' ? key : String(key))),
  ];
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
      return (issue.keys ?? []).map((key) => ({
        kind: 'unknown',
        path,
        key,
        allowed: allowedKeys(schema, path),
      }));
    case 'invalid_union':
      return [unionProblem(issue, path, schema)];
    default: {
      const inner = issue.issues?.[0]?.message;
      return [{ kind: 'other', path, text: inner ? `${issue.message}: ${inner}` : issue.message }];
    }
  }
}

function unionProblem(issue: AnyIssue, path: Path, schema: JsonObject): Problem {
  // A discriminated union of zod 4 has no branches but the values of its tag.
  if (issue.errors?.length === 0 && issue.options) return expectedValues(path, issue.options);
  const branches = issue.errors
    ? issue.errors.map((issues) => issues.flatMap((inner) => toProblems(inner, path, schema)))
    : (issue.unionErrors ?? []).map(({ issues }) =>
        // The paths of zod 3 start at the root.
        issues.flatMap((inner) => toProblems(inner, [], schema)),
      );
  return { kind: 'union', path, branches };
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
