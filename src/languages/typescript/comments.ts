import { isRecord } from '../../shared/guards.ts';
import type { JsonValue } from '../../shared/json/json.ts';
import { describe, type DescriptionStyle } from '../schema/constraints.ts';
import type { SchemaDocument } from '../schema/definitions.ts';
import { flatten } from '../schema/json-schema.ts';
import { typescriptLiteral } from './literal.ts';

/** A comment before a declaration, with a line break after it; empty if the text is empty. */
export function comment(text: string): string {
  const lines = text
    .trim()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(
      /[^\P{Control}\n\t]|\p{Surrogate}|\p{Line_Separator}|\p{Paragraph_Separator}/gu,
      '\uFFFD',
    )
    .replaceAll('*/', '*\\/')
    .split('\n')
    .map((line) => line.trimEnd());
  if (lines.length > 1)
    return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
  return lines[0] === '' ? '' : `/** ${lines[0]} */\n`;
}

/** What a type cannot express about a value, and for an array or a record, about its elements. */
export function noteOf(source: JsonValue, document: SchemaDocument): string {
  const style = styleOf(document);
  const note = describe(source, document.root, style);
  const { schema } = flatten(source, document.root, new Set(), style.isNamed);
  if (typeof schema === 'boolean') return note;
  const { items, additionalProperties } = schema;
  const inside = isRecord(items) ? items : additionalProperties;
  const each = inside === undefined ? '' : describe(inside, document.root, style);
  if (each === '') return note;
  return note === '' ? `each: ${each}` : `${note} (each: ${each})`;
}

function styleOf({ references }: SchemaDocument): DescriptionStyle {
  return {
    literal: typescriptLiteral,
    hasIntegers: false,
    isNamed: (reference) => references.isNamed(reference),
  };
}
