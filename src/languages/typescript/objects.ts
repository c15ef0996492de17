import { isRecord } from '../../shared/guards.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import type { SchemaDocument } from '../schema/definitions.ts';
import { elements } from '../schema/json-schema.ts';
import { comment, noteOf } from './comments.ts';
import { propertyName } from './literal.ts';
import { textOf, atomicType, type Type } from './type.ts';

const MAXIMUM_PROPERTIES = 40;
/** A longer object is written with one line for each property. */
const LONGEST_LINE = 80;

/**
 * Names that every object already has, with types of their own. An optional property of such a name
 * cannot have a narrower type.
 */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype));

interface Property {
  readonly name: string;
  readonly schema: JsonValue;
  readonly isRequired: boolean;
}

/** The type of an object schema. @param render - Writes the type of a property. */
export function objectType(
  schema: JsonObject,
  document: SchemaDocument,
  render: (schema: JsonValue) => Type,
): Type {
  const properties = propertiesOf(schema);
  const shown = properties.slice(0, MAXIMUM_PROPERTIES);
  const members = shown.map((property) => {
    const { name, isRequired } = property;
    const isAny = !isRequired && inherited.has(name);
    const type = isAny ? 'any' : textOf(render(property.schema));
    const note = comment(noteOf(property.schema, document));
    return `${note}${propertyName(name)}${isRequired ? '' : '?'}: ${type}`;
  });
  const others = otherValues(schema);
  if (properties.length === 0) {
    if (others.length === 0) {
      return atomicType(schema['additionalProperties'] === false ? '{}' : 'Record<string, any>');
    }
    const values = others.length === 1 ? textOf(render(others[0] ?? true)) : 'any';
    return atomicType(values === 'any' ? 'Record<string, any>' : `{ [key: string]: ${values} }`);
  }
  const omitted = properties.length - shown.length;
  if (omitted > 0) members.push(`${comment(`${omitted} more`)}[key: string]: any`);
  // An index signature would have to include the types of the properties.
  else if (isOpen(schema)) members.push(`${othersNote(others, render)}[key: string]: any`);
  return atomicType(layOut(members));
}

/** The properties that a schema names anywhere. */
function propertiesOf(schema: JsonObject): Property[] {
  const { properties, propertyNames } = schema;
  const known = new Map(isRecord(properties) ? Object.entries(properties) : []);
  const required = new Set(elements(schema['required']));
  const keys = isRecord(propertyNames) ? elements(propertyNames['enum']) : [];
  // The required properties of a record have the type of its values.
  const { additionalProperties, patternProperties } = schema;
  const others = patternProperties === undefined ? (additionalProperties ?? true) : true;
  for (const name of [...keys, ...required]) {
    if (typeof name === 'string' && !known.has(name)) known.set(name, others);
  }
  return [...known].map(([name, property]) => ({
    name,
    schema: property,
    isRequired: required.has(name),
  }));
}

/** The schemas of the values with unknown names. */
function otherValues(schema: JsonObject): JsonValue[] {
  const { additionalProperties: others, patternProperties: patterns } = schema;
  const values = isRecord(patterns) ? Object.values(patterns) : [];
  if (others !== undefined && others !== false) values.push(others);
  return values;
}

function isOpen(schema: JsonObject): boolean {
  const { propertyNames } = schema;
  if (isRecord(propertyNames) && Array.isArray(propertyNames['enum'])) return false;
  // Conditions can add properties that are named nowhere else.
  const isConditional = ['then', 'else', 'dependentSchemas', 'dependencies'].some(
    (keyword) => schema[keyword] !== undefined,
  );
  return isConditional || otherValues(schema).length > 0;
}

function othersNote(others: readonly JsonValue[], render: (schema: JsonValue) => Type): string {
  const [only] = others;
  const type = only === undefined || others.length > 1 ? 'any' : textOf(render(only));
  return type === 'any' || type.includes('\n') ? '' : comment(`others: ${type}`);
}

function layOut(members: readonly string[]): string {
  const line = `{ ${members.join('; ')} }`;
  if (line.length <= LONGEST_LINE && !line.includes('\n')) return line;
  return `{\n${members.map((member) => `${indent(member)};`).join('\n')}\n}`;
}

/** Indents lines by one step. */
export function indent(text: string): string {
  return `  ${text.replaceAll('\n', '\n  ')}`;
}
