import type { ErrorObject } from 'ajv';
import { formatPath } from '../../shared/json/json.ts';
import { typeAdvice } from './foreign-types.ts';
import { cutText, expectedType, expectedValues, type Path, type Problem } from './problems.ts';

/**
 * Ajv lists the errors of a union's branches immediately before the error of the union itself. They
 * are collected there.
 */
export function toProblems(errors: readonly ErrorObject[], input: unknown): Problem[] {
  const problems: { readonly problem: Problem; readonly error: ErrorObject }[] = [];
  // The paths of problems inside a property repeat its name, which may be long.
  const names = new Map<string, string>();
  for (const error of errors) {
    if (error.keyword === 'if') continue;
    const path = toPath(error.instancePath, input, names);
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      problems.push({ problem: toProblem(error, path), error });
      continue;
    }
    const branches = new Map<string, Problem[]>();
    for (let entry = problems.at(-1); entry; entry = problems.at(-1)) {
      const branch = branchOf(entry.error, error);
      if (branch === undefined) break;
      problems.pop();
      const gathered = branches.get(branch);
      if (gathered) gathered.push(entry.problem);
      else branches.set(branch, [entry.problem]);
    }
    const matchesSeveral = Array.isArray(error.params['passingSchemas']);
    const problem: Problem = matchesSeveral
      ? { kind: 'other', path, text: 'matches more than one of the allowed forms' }
      : { kind: 'union', path, branches: inOrder(branches) };
    problems.push({ problem, error });
  }
  return problems.map((entry) => entry.problem);
}

/** What is wrong in a schema itself, in one sentence: where, the value there, and what to write. */
export function describeSchemaErrors(errors: readonly ErrorObject[], schema: unknown): string {
  const names = new Map<string, string>();
  // A list of types causes such an error too, beside that of its wrong element.
  const foreign = errors.find(({ keyword, instancePath, data }) => {
    return keyword === 'enum' && !Array.isArray(data) && /\/type(\/\d+)?$/.test(instancePath);
  });
  const error = foreign ?? errors[0];
  if (error === undefined) return 'it is not a valid schema';
  const where = formatPath(['schema', ...toPath(error.instancePath, schema, names)]);
  const value = cutText(JSON.stringify(error.data) ?? 'undefined');
  if (foreign === undefined) return `${where} ${error.message}, and is ${value}`;
  return `${where} is ${value}, which JSON Schema does not have. ${typeAdvice(error.data)}`;
}

/** What was collected from the end, in the original order. */
function inOrder(branches: ReadonlyMap<string, readonly Problem[]>): Problem[][] {
  return [...branches.values()].toReversed().map((problems) => problems.toReversed());
}

/** The branch of a union that an error belongs to; undefined if it belongs to none. */
function branchOf(error: ErrorObject, union: ErrorObject): string | undefined {
  const inside = `${error.instancePath}/`.startsWith(`${union.instancePath}/`);
  if (!inside) return undefined;
  const prefix = `${union.schemaPath}/`;
  if (error.schemaPath.startsWith(prefix))
    return error.schemaPath.slice(prefix.length).split('/')[0];
  // The errors of a branch behind a $ref name the definition instead of the path to it.
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
    case 'additionalProperties': {
      const { properties = {}, patternProperties } = error.parentSchema ?? {};
      // Names that match a pattern are allowed too.
      const allowed =
        patternProperties === undefined ? Object.keys(properties as object) : undefined;
      return { kind: 'unknown', path, key: String(params['additionalProperty']), allowed };
    }
    case 'unevaluatedProperties': {
      // Other parts of the schema name more of those that are allowed.
      const key = String(params['unevaluatedProperty']);
      return { kind: 'unknown', path, key, allowed: undefined };
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

/** Splits a JSON pointer. Indexes of arrays become numbers. `names` caches decoded names. */
function toPath(pointer: string, input: unknown, names: Map<string, string>): (string | number)[] {
  let at = input;
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const name = names.get(part) ?? part.replaceAll('~1', '/').replaceAll('~0', '~');
      names.set(part, name);
      const key = Array.isArray(at) ? Number(name) : name;
      at = (at as Record<PropertyKey, unknown>)[key];
      return key;
    });
}
