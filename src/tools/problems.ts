import { formatPath, type JsonObject, type JsonValue } from '../shared/json.ts';

/** Something wrong with the arguments of a call, whichever validator found it. */
export type Problem =
  | {
      readonly kind: 'expected';
      readonly path: Path;
      readonly expected: string;
      /** Whether `expected` lists values, so that the received value and not just its type is worth showing. */
      readonly isLiteral: boolean;
    }
  | {
      readonly kind: 'unknown';
      readonly path: Path;
      readonly key: string;
      /** Undefined where the schema does not say. */
      readonly allowed: readonly string[] | undefined;
    }
  | { readonly kind: 'other'; readonly path: Path; readonly text: string }
  | { readonly kind: 'union'; readonly path: Path; readonly branches: readonly Problem[][] };

type Expected = Extract<Problem, { kind: 'expected' }>;
export type Path = readonly (string | number)[];

const MAXIMUM_LINES = 10;
const MAXIMUM_VALUES = 20;

/** One line a problem, with its path, what was expected and what came. */
export function describeProblems(problems: readonly Problem[], input: unknown): string {
  const lines = [...new Set(problems.flatMap((problem) => linesOf(problem, input)))];
  if (lines.length === 0) return 'arguments: do not match the schema';
  if (lines.length <= MAXIMUM_LINES) return lines.join('\n');
  return [...lines.slice(0, MAXIMUM_LINES), `and ${lines.length - MAXIMUM_LINES} more`].join('\n');
}

export function expectedType(path: Path, type: string): Problem {
  return { kind: 'expected', path, expected: type, isLiteral: false };
}

export function expectedValues(path: Path, values: readonly unknown[]): Problem {
  const shown = values.slice(0, MAXIMUM_VALUES).map((value) => shorten(JSON.stringify(value)));
  if (values.length > MAXIMUM_VALUES) shown.push(`${values.length - MAXIMUM_VALUES} more values`);
  const expected = values.length === 1 ? String(shown[0]) : `one of ${shown.join(', ')}`;
  return { kind: 'expected', path, expected, isLiteral: true };
}

/** The names of the properties that a schema lists at a path; undefined where it says nothing of them. */
export function allowedKeys(schema: JsonObject, path: Path): string[] | undefined {
  let at: JsonValue | undefined = schema;
  for (const key of path) {
    if (!isRecord(at)) return undefined;
    if (typeof key === 'number') at = at['items'];
    else at = isRecord(at['properties']) ? at['properties'][key] : undefined;
  }
  return isRecord(at) && isRecord(at['properties']) ? Object.keys(at['properties']) : undefined;
}

function linesOf(problem: Problem, input: unknown): string[] {
  const where = problem.path.length === 0 ? 'arguments' : formatPath(problem.path);
  switch (problem.kind) {
    case 'expected': {
      const received = valueAt(input, problem.path);
      if (received === undefined) return [`${where}: missing, expected ${problem.expected}`];
      return [`${where}: expected ${problem.expected}, received ${describe(received, problem)}`];
    }
    case 'unknown': {
      const subject = problem.path.length === 0 ? 'unknown argument' : `${where}: unknown property`;
      const allowed =
        problem.allowed === undefined ? '' : `; allowed: ${problem.allowed.join(', ') || 'none'}`;
      return [`${subject} ${JSON.stringify(problem.key)}${allowed}`];
    }
    case 'other': {
      const received = valueAt(input, problem.path);
      const isShort = typeof received === 'number' || typeof received === 'string';
      const suffix = isShort ? `, received ${shorten(JSON.stringify(received))}` : '';
      return [`${where}: ${problem.text}${suffix}`];
    }
    default:
      return nearest(problem).flatMap((part) => linesOf(part, input));
  }
}

/** What is wrong by the alternative that was most likely meant: the one that types and tags do not rule out. */
function nearest(union: Extract<Problem, { kind: 'union' }>): readonly Problem[] {
  const excluding: Expected[] = [];
  const open: Problem[][] = [];
  for (const branch of union.branches) {
    const reason = branch.find(
      (problem): problem is Expected =>
        problem.kind === 'expected' &&
        (problem.isLiteral || formatPath(problem.path) === formatPath(union.path)),
    );
    if (reason === undefined) open.push(branch);
    else excluding.push(reason);
  }
  if (open.length > 0) return open.sort((a, b) => a.length - b.length)[0] ?? [];
  const deepest = excluding.sort((a, b) => b.path.length - a.path.length)[0];
  if (deepest === undefined) {
    return [{ kind: 'other', path: union.path, text: 'matches none of the allowed forms' }];
  }
  const rivals = excluding.filter((other) => formatPath(other.path) === formatPath(deepest.path));
  const expected = [...new Set(rivals.map((rival) => rival.expected))].join(' or ');
  return [{ ...deepest, expected, isLiteral: rivals.every((rival) => rival.isLiteral) }];
}

function describe(received: unknown, problem: Expected): string {
  const type = jsonType(received);
  const sameType = type === 'number' && problem.expected === 'integer';
  if (sameType || (problem.isLiteral && type !== 'object' && type !== 'array')) {
    return shorten(JSON.stringify(received));
  }
  return type;
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function valueAt(input: unknown, path: Path): unknown {
  let at = input;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}

function shorten(text: string | undefined): string {
  if (text === undefined) return 'undefined';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function isRecord(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
