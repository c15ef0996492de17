import { escapeControls } from '../../shared/control-characters.ts';
import { isRecord } from '../../shared/guards.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import { flatten, typesOf } from './json-schema.ts';

const MAXIMUM_DEPTH = 5;
/** References can make a small schema expand to a huge one. */
const MAXIMUM_PARTS = 300;
/** The same for the description of one value, which is one line. */
const MAXIMUM_NOTES = 100;
/** How many branches of a union are described one by one. */
const MAXIMUM_BRANCHES = 8;

/** How a language's types express constraints, so that descriptions need not repeat them. */
export interface DescriptionStyle {
  readonly literal: (value: JsonValue) => string;
  /** Whether its types distinguish integers from other numbers. */
  readonly hasIntegers: boolean;
  /** Which references are described at the definition of their target, under its name. */
  readonly isNamed: (reference: string) => boolean;
}

/**
 * What a type cannot express: the description and the constraints of a value, on one line. Empty if
 * there are none.
 */
export function describe(source: JsonValue, root: JsonObject, style: DescriptionStyle): string {
  const remaining = { parts: MAXIMUM_NOTES };
  const scope = { root, style, remaining, depth: 0, references: new Set<string>() };
  return escapeControls(describeWithin(source, scope));
}

/** `describe` for a parameter whose default its signature shows. */
export function describeWithoutDefault(
  source: JsonValue,
  root: JsonObject,
  style: DescriptionStyle,
): string {
  const { schema } = flatten(source, root, new Set(), style.isNamed);
  if (typeof schema === 'boolean') return '';
  const { default: _, ...rest } = schema;
  return describe(rest, root, style);
}

interface Scope {
  readonly root: JsonObject;
  readonly style: DescriptionStyle;
  readonly depth: number;
  readonly references: ReadonlySet<string>;
  /** How many more parts may be described, here and elsewhere. */
  readonly remaining: { parts: number };
}

function describeWithin(source: JsonValue, scope: Scope): string {
  const { root, style, depth, remaining } = scope;
  if (depth >= MAXIMUM_DEPTH || remaining.parts-- <= 0) return '';
  const { schema, unions, references } = flatten(source, root, scope.references, style.isNamed);
  if (typeof schema === 'boolean') return '';
  const { description } = schema;
  const text = typeof description === 'string' ? description.trim().replaceAll(/\s+/g, ' ') : '';
  const branches = unions.flat().slice(0, MAXIMUM_BRANCHES);
  const inner = { ...scope, depth: depth + 1, references };
  const notes = branches.map((branch) => describeWithin(branch, inner));
  const distinct = [...new Set(notes)].filter((note) => note !== '');
  const constraints = [...constraintsOf(schema, style), distinct.join(', or ')]
    .filter((constraint) => constraint !== '')
    .join('; ');
  if (constraints === '') return text;
  return text === '' ? constraints : `${text} (${constraints})`;
}

/**
 * A line for each part of a value that has a description or constraints, such as `items[].price: in
 * USD`.
 */
export function describeParts(
  source: JsonValue,
  root: JsonObject,
  path: string,
  style: DescriptionStyle,
): string[] {
  const notes: string[] = [];
  const remaining = { parts: MAXIMUM_PARTS };
  collect({ root, style, notes, remaining, depth: 0, references: new Set() }, source, path);
  return notes;
}

interface Collection extends Scope {
  readonly notes: string[];
}

function collect(scope: Collection, source: JsonValue, path: string): void {
  const { root, style, notes, remaining, depth } = scope;
  if (depth >= MAXIMUM_DEPTH || remaining.parts-- <= 0) return;
  const flat = flatten(source, root, scope.references, style.isNamed);
  const { schema, references } = flat;
  if (typeof schema === 'boolean') return;
  const inner = { ...scope, references, depth: depth + 1 };
  const visit = (part: JsonValue, partPath: string): void => {
    if (remaining.parts <= 0) return;
    const note = describe(part, root, style);
    if (note !== '') notes.push(`${escapeControls(partPath)}: ${note}`);
    collect(inner, part, partPath);
  };
  if (isRecord(schema['properties'])) {
    for (const [name, property] of Object.entries(schema['properties'])) {
      visit(property, `${path}.${name.replaceAll(/\s+/g, ' ')}`);
    }
  }
  if (isRecord(schema['items'])) visit(schema['items'], `${path}[]`);
  if (isRecord(schema['additionalProperties'])) visit(schema['additionalProperties'], `${path}{}`);
  for (const branch of flat.unions.flat()) collect(inner, branch, path);
}

function constraintsOf(schema: JsonObject, style: DescriptionStyle): string[] {
  const constraints: string[] = [];
  if (!style.hasIntegers && typesOf(schema).includes('integer')) constraints.push('integer');
  const add = (keyword: string, text: (value: JsonValue) => string): void => {
    const value = schema[keyword];
    const isUnbounded = value === 0 && keyword.startsWith('min') && keyword !== 'minimum';
    if (value !== undefined && !isUnbounded) constraints.push(text(value));
  };
  add('format', (value) => `format ${plain(value)}`);
  add('minLength', (value) => `at least ${plain(value)} characters`);
  add('maxLength', (value) => `at most ${plain(value)} characters`);
  // The pattern of a known format is longer and adds nothing.
  if (schema['format'] === undefined) add('pattern', (value) => `matches ${plain(value)}`);
  add('minimum', (value) => `>= ${plain(value)}`);
  add('exclusiveMinimum', (value) => `> ${plain(value)}`);
  // The limits of safe integers, which zod writes on every int, tell a reader nothing.
  if (schema['maximum'] !== Number.MAX_SAFE_INTEGER)
    add('maximum', (value) => `<= ${plain(value)}`);
  add('exclusiveMaximum', (value) => `< ${plain(value)}`);
  add('multipleOf', (value) => `multiple of ${plain(value)}`);
  add('minItems', (value) => `at least ${plain(value)} items`);
  add('maxItems', (value) => `at most ${plain(value)} items`);
  if (schema['uniqueItems'] === true) constraints.push('no item twice');
  add('minProperties', (value) => `at least ${plain(value)} keys`);
  add('maxProperties', (value) => `at most ${plain(value)} keys`);
  add('default', (value) => `default ${style.literal(value)}`);
  if (schema['deprecated'] === true) constraints.push('deprecated');
  return constraints.filter((text) => text !== `>= ${Number.MIN_SAFE_INTEGER}`);
}

function plain(value: JsonValue): string {
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : JSON.stringify(value);
}
