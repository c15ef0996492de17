import { isRecord } from '../../shared/guards.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import { toPythonParameter } from '../../tools/names.ts';
import type { Tool } from '../../tools/tool.ts';
import { describe, describeParts } from '../schema/constraints.ts';
import { Definitions, type SchemaDocument } from '../schema/definitions.ts';
import { elements, flatten } from '../schema/json-schema.ts';
import { pythonString } from './literal.ts';
import { docstring, sourceText, styleOf } from './source.ts';
import { pythonType } from './types.ts';

const MAXIMUM_FIELDS = 40;

const typingNames = ['Any', 'Literal', 'Never', 'NotRequired', 'Optional', 'TypedDict', 'Union'];

/**
 * The named types of these tools.
 * @param namespaces - Names that no type may have, besides those of the functions.
 */
export function pythonDefinitions(
  tools: readonly Tool[],
  namespaces: readonly string[],
): Definitions {
  const functions = tools.map((tool) => tool.identifier);
  return new Definitions([...typingNames, ...functions, ...namespaces], write);
}

/** Writes an object with known properties as a TypedDict, and anything else as a type alias. */
function write(
  name: string,
  target: JsonValue,
  document: SchemaDocument,
  definitions: Definitions,
): string {
  const budget = definitions.budgetOf(document);
  if (budget.parts <= 0) return `${name} = Any`;
  const { schema, unions } = flatten(target, document.root);
  const note = sourceText(describe(target, document.root, styleOf(document)));
  const isObject =
    isRecord(schema) &&
    unions.length === 0 &&
    (schema['type'] ?? 'object') === 'object' &&
    isRecord(schema['properties']) &&
    Object.keys(schema['properties']).length > 0;
  if (!isObject) {
    const comment = note === '' ? '' : `# ${note}\n`;
    return `${comment}${name} = ${pythonType(target, document, definitions, budget)}`;
  }
  const fields = fieldsOf(schema, document, definitions);
  if (!fields.every((field) => isFieldName(field.name))) return writeWithKeys(name, note, fields);
  const heading = note === '' ? [] : [`    ${docstring(note)}`];
  const lines = fields.map((field) => `    ${field.name}: ${field.type}${field.comment}`);
  return [`class ${name}(TypedDict):`, ...heading, ...lines].join('\n');
}

interface Field {
  readonly name: string;
  readonly type: string;
  /** Includes line breaks and indentation of further lines. Empty if there is nothing to say. */
  readonly comment: string;
}

function fieldsOf(schema: JsonObject, document: SchemaDocument, definitions: Definitions): Field[] {
  const { root } = document;
  const style = styleOf(document);
  const budget = definitions.budgetOf(document);
  const properties = Object.entries(isRecord(schema['properties']) ? schema['properties'] : {});
  const required = elements(schema['required']);
  const fields = properties.slice(0, MAXIMUM_FIELDS).map(([name, property]) => {
    const type = pythonType(property, document, definitions, budget);
    const note = describe(property, root, style);
    const inside = describeParts(property, root, name.replaceAll(/\s+/g, ' '), style);
    const comment = [note === '' ? '' : `  # ${note}`, ...inside.map((part) => `\n    # ${part}`)];
    return {
      name,
      type: required.includes(name) ? type : `NotRequired[${type}]`,
      comment: sourceText(comment.join('')),
    };
  });
  const omitted = properties.length - fields.length;
  const last = fields.pop();
  if (last === undefined) return [];
  const more = omitted > 0 ? `\n    # and ${omitted} more` : '';
  return [...fields, { ...last, comment: `${last.comment}${more}` }];
}

/** The form for keys that are not valid names in Python. */
function writeWithKeys(name: string, note: string, fields: readonly Field[]): string {
  const comment = note === '' ? '' : `# ${note}\n`;
  const lines = fields.map((field) => {
    return `    ${pythonString(field.name)}: ${field.type},${field.comment}`;
  });
  return `${comment}${name} = TypedDict("${name}", {\n${lines.join('\n')}\n})`;
}

/** Python would mangle a name that begins with two underscores. */
function isFieldName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !name.startsWith('__') && toPythonParameter(name) === name;
}
