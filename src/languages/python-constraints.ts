import type { JsonObject, JsonValue } from '../shared/json.ts';
import { pythonLiteral } from './python-literal.ts';
import { flatten, isRecord } from './python-schema.ts';

const MAXIMUM_DEPTH = 5;
/** References can make a small schema unfold to a huge one. */
const MAXIMUM_PARTS = 300;

/** What a type cannot say of a value: its description and its constraints, on one line; empty where there is nothing. */
export function describe(source: JsonValue, root: JsonObject): string {
  const { schema } = flatten(source, root);
  return typeof schema === 'boolean' ? '' : describeFlat(schema);
}

/** `describe` for a parameter whose default its signature shows. */
export function describeWithoutDefault(source: JsonValue, root: JsonObject): string {
  const { schema } = flatten(source, root);
  if (typeof schema === 'boolean') return '';
  const { default: _, ...rest } = schema;
  return describeFlat(rest);
}

function describeFlat(schema: JsonObject): string {
  const { description } = schema;
  const text = typeof description === 'string' ? description.trim().replaceAll(/\s+/g, ' ') : '';
  const constraints = constraintsOf(schema).join('; ');
  if (constraints === '') return text;
  return text === '' ? constraints : `${text} (${constraints})`;
}

/** A line for each part inside a value that has something to say, such as `items[].price: in USD`. */
export function describeParts(source: JsonValue, root: JsonObject, path: string): string[] {
  const notes: string[] = [];
  const remaining = { parts: MAXIMUM_PARTS };
  collect({ root, notes, remaining, depth: 0, references: new Set() }, source, path);
  return notes;
}

interface Scope {
  readonly root: JsonObject;
  readonly notes: string[];
  readonly remaining: { parts: number };
  readonly depth: number;
  readonly references: ReadonlySet<string>;
}

function collect(scope: Scope, source: JsonValue, path: string): void {
  const { root, notes, remaining, depth } = scope;
  if (depth >= MAXIMUM_DEPTH || remaining.parts-- <= 0) return;
  const { schema, references } = flatten(source, root, scope.references);
  if (typeof schema === 'boolean') return;
  const inner = { ...scope, references, depth: depth + 1 };
  const visit = (part: JsonValue, partPath: string): void => {
    if (remaining.parts <= 0) return;
    const note = describe(part, root);
    if (note !== '') notes.push(`${partPath}: ${note}`);
    collect(inner, part, partPath);
  };
  if (isRecord(schema['properties'])) {
    for (const [name, property] of Object.entries(schema['properties'])) {
      visit(property, `${path}.${name.replaceAll(/\s+/g, ' ')}`);
    }
  }
  if (isRecord(schema['items'])) visit(schema['items'], `${path}[]`);
  if (isRecord(schema['additionalProperties'])) visit(schema['additionalProperties'], `${path}{}`);
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) continue;
    for (const branch of branches as readonly JsonValue[]) collect(inner, branch, path);
  }
}

function constraintsOf(schema: JsonObject): string[] {
  const constraints: string[] = [];
  const add = (keyword: string, text: (value: JsonValue) => string): void => {
    const value = schema[keyword];
    if (value !== undefined) constraints.push(text(value));
  };
  add('format', (value) => `format ${plain(value)}`);
  add('minLength', (value) => `at least ${plain(value)} characters`);
  add('maxLength', (value) => `at most ${plain(value)} characters`);
  add('pattern', (value) => `matches ${plain(value)}`);
  add('minimum', (value) => `>= ${plain(value)}`);
  add('exclusiveMinimum', (value) => `> ${plain(value)}`);
  // The safe integers, which zod writes on every int, say nothing to a reader.
  if (schema['maximum'] !== Number.MAX_SAFE_INTEGER)
    add('maximum', (value) => `<= ${plain(value)}`);
  add('exclusiveMaximum', (value) => `< ${plain(value)}`);
  add('multipleOf', (value) => `multiple of ${plain(value)}`);
  add('minItems', (value) => `at least ${plain(value)} items`);
  add('maxItems', (value) => `at most ${plain(value)} items`);
  if (schema['uniqueItems'] === true) constraints.push('no item twice');
  add('minProperties', (value) => `at least ${plain(value)} keys`);
  add('maxProperties', (value) => `at most ${plain(value)} keys`);
  add('default', (value) => `default ${pythonLiteral(value)}`);
  if (schema['deprecated'] === true) constraints.push('deprecated');
  return constraints.filter((text) => text !== `>= ${Number.MIN_SAFE_INTEGER}`);
}

function plain(value: JsonValue): string {
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : JSON.stringify(value);
}
