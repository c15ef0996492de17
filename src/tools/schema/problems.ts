import { isRecord } from '../../shared/guards.ts';
import { formatPath, type JsonObject, type JsonValue } from '../../shared/json/json.ts';

/** A problem in the arguments of a call, from any validator. */
export type Problem =
  | {
      readonly kind: 'expected';
      readonly path: Path;
      readonly expected: string;
      /**
       * Whether `expected` lists values, so that the received value is shown and not only its type.
       */
      readonly isLiteral: boolean;
    }
  | {
      readonly kind: 'unknown';
      readonly path: Path;
      readonly key: string;
      /** Undefined if the schema does not say. */
      readonly allowed: readonly string[] | undefined;
    }
  | { readonly kind: 'other'; readonly path: Path; readonly text: string }
  /** A sentence of a library, which already says what was received, and perhaps where. */
  | { readonly kind: 'stated'; readonly path: Path; readonly text: string }
  | { readonly kind: 'union'; readonly path: Path; readonly branches: readonly Problem[][] };

/** What is checked, in the words of the messages. */
export interface Subject {
  /** The name of the whole value. */
  readonly whole: string;
  /** The name of its properties. */
  readonly property: string;
  /** The name of the schema. */
  readonly schema: string;
  /** Whether paths begin with `whole`. @default false */
  readonly startsPaths?: boolean;
  /** Whether messages show no values, because they go to logs. @default false */
  readonly hidesValues?: boolean;
}

export const ARGUMENTS: Subject = {
  whole: 'arguments',
  property: 'argument',
  schema: "the tool's input schema",
};

export const RESULT: Subject = {
  whole: 'result',
  property: 'property',
  schema: "the tool's output schema",
  startsPaths: true,
  hidesValues: true,
};

type Expected = Extract<Problem, { kind: 'expected' }>;
export type Path = readonly (string | number)[];

/** How many problems a validator reads from its library at most: more would not be shown. */
export const MAXIMUM_PROBLEMS = 500;
const MAXIMUM_LINES = 10;
const MAXIMUM_VALUES = 20;
/** As many as the signature shows of an object. */
const MAXIMUM_NAMES = 40;
/** The longest key and the longest shown value. */
const MAXIMUM_CHARACTERS = 60;
const MAXIMUM_PATH_CHARACTERS = 120;
const MAXIMUM_TEXT_CHARACTERS = 300;

/**
 * Describes each problem in a line: its path, what was expected and what was received. At most ten
 * lines, each of limited length, because a program may choose the keys and values.
 * @param found - How many problems there are, if `problems` has only some of them.
 */
export function describeProblems(
  problems: readonly Problem[],
  input: unknown,
  subject: Subject,
  found: number = problems.length,
): string {
  const lines = new Set<string>();
  let described = 0;
  for (const problem of problems) {
    if (lines.size >= MAXIMUM_LINES) break;
    for (const line of linesOf(problem, input, subject)) lines.add(line);
    described++;
  }
  if (lines.size === 0) return `${subject.whole}: refused by the schema`;
  if (described < found) lines.add(`and ${found - described} more`);
  return [...lines].join('\n');
}

/** The beginning of a text that a program may have made arbitrarily long. */
export function cutText(text: string, length: number = MAXIMUM_CHARACTERS): string {
  if (text.length <= length) return text;
  // Half of a surrogate pair would not be a character.
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function expectedType(path: Path, type: string): Problem {
  return { kind: 'expected', path, expected: type, isLiteral: false };
}

export function expectedValues(path: Path, values: readonly unknown[]): Problem {
  const shown = values.slice(0, MAXIMUM_VALUES).map(showValue);
  if (values.length > MAXIMUM_VALUES) shown.push(`${values.length - MAXIMUM_VALUES} more values`);
  const expected = values.length === 1 ? String(shown[0]) : `one of ${shown.join(', ')}`;
  return { kind: 'expected', path, expected, isLiteral: true };
}

/** The names of the properties that a schema lists at a path; undefined if it lists none. */
export function allowedKeys(schema: JsonObject, path: Path): string[] | undefined {
  let at: JsonValue | undefined = schema;
  for (const key of path) {
    if (!isRecord(at)) return undefined;
    if (typeof key === 'number') at = at['items'];
    else at = isRecord(at['properties']) ? at['properties'][key] : undefined;
  }
  return isRecord(at) && isRecord(at['properties']) ? Object.keys(at['properties']) : undefined;
}

function linesOf(problem: Problem, input: unknown, subject: Subject): string[] {
  const where = placeOf(problem.path, subject);
  switch (problem.kind) {
    case 'expected': {
      const received = valueAt(input, problem.path);
      if (received === undefined) return [`${where}: missing, expected ${problem.expected}`];
      return [
        `${where}: expected ${problem.expected}, received ${subject.hidesValues === true ? jsonType(received) : describe(received, problem)}`,
      ];
    }
    case 'unknown': {
      const isOwn = problem.path.length === 0;
      const what = isOwn ? `unknown ${subject.property}` : `${where}: unknown property`;
      return [`${what} ${showValue(problem.key)}${showAllowed(problem.allowed)}`];
    }
    case 'other': {
      const received = valueAt(input, problem.path);
      const isShort = typeof received === 'string' || Number.isFinite(received);
      const suffix =
        isShort && subject.hidesValues !== true ? `, received ${showValue(received)}` : '';
      return [`${where}: ${cutText(problem.text, MAXIMUM_TEXT_CHARACTERS)}${suffix}`];
    }
    case 'stated': {
      const text = cutText(problem.text, MAXIMUM_TEXT_CHARACTERS);
      return [text.startsWith(`${where} `) ? text : `${where}: ${text}`];
    }
    default:
      return nearest(problem).flatMap((part) => linesOf(part, input, subject));
  }
}

function showAllowed(allowed: readonly string[] | undefined): string {
  if (allowed === undefined) return '';
  const shown = allowed.slice(0, MAXIMUM_NAMES).map((name) => cutText(name));
  if (allowed.length > MAXIMUM_NAMES) shown.push(`${allowed.length - MAXIMUM_NAMES} more`);
  return `; allowed: ${shown.join(', ') || 'none'}`;
}

function placeOf(path: Path, { whole, startsPaths }: Subject): string {
  if (path.length === 0) return whole;
  return showPath(startsPaths === true ? [whole, ...path] : path);
}

/**
 * The problems of the alternative that was most likely meant: the one that types and tags do not
 * rule out.
 */
function nearest(union: Extract<Problem, { kind: 'union' }>): readonly Problem[] {
  const here = showPath(union.path);
  const excluding: Expected[] = [];
  const open: Problem[][] = [];
  for (const branch of union.branches) {
    const reason = branch.find(
      (problem): problem is Expected =>
        problem.kind === 'expected' && (problem.isLiteral || showPath(problem.path) === here),
    );
    if (reason === undefined) open.push(branch);
    else excluding.push(reason);
  }
  if (open.length > 0) return open.sort((a, b) => a.length - b.length)[0] ?? [];
  const deepest = excluding.sort((a, b) => b.path.length - a.path.length)[0];
  if (deepest === undefined) {
    return [{ kind: 'other', path: union.path, text: 'matches none of the allowed forms' }];
  }
  const at = showPath(deepest.path);
  const rivals = excluding.filter((other) => showPath(other.path) === at);
  const expected = [...new Set(rivals.map((rival) => rival.expected))].join(' or ');
  return [{ ...deepest, expected, isLiteral: rivals.every((rival) => rival.isLiteral) }];
}

function describe(received: unknown, problem: Expected): string {
  const type = jsonType(received);
  const sameType = type === 'number' && problem.expected === 'integer';
  if (sameType || (problem.isLiteral && type !== 'object' && type !== 'array')) {
    return showValue(received);
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

/**
 * A path whose keys a program may have chosen: each key is cut, and then the middle of the whole
 * path.
 */
function showPath(path: Path): string {
  const text = formatPath(path.map((key) => (typeof key === 'number' ? key : cutText(key))));
  if (text.length <= MAXIMUM_PATH_CHARACTERS) return text;
  const half = MAXIMUM_PATH_CHARACTERS / 2;
  return `${cutText(text, half)}${text.slice(-half).replace(/^[\udc00-\udfff]/, '')}`;
}

function showValue(value: unknown): string {
  const isLong = typeof value === 'string' && value.length > MAXIMUM_CHARACTERS;
  // A long text is cut before it is quoted, because quoting can make it six times as long.
  const text = JSON.stringify(isLong ? value.slice(0, MAXIMUM_CHARACTERS + 1) : value);
  return text === undefined ? 'undefined' : cutText(text);
}
