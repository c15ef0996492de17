import type { DescriptionStyle } from '../schema/constraints.ts';
import type { SchemaDocument } from '../schema/definitions.ts';
import { pythonLiteral } from './literal.ts';

/** A docstring, indented by four spaces and escaped for Python source. */
export function docstring(text: string): string {
  const lines = sourceText(text)
    .replaceAll('\\', '\\\\')
    .replaceAll(/"{3,}|"+$/g, (quotes) => '\\"'.repeat(quotes.length))
    .split('\n')
    .map((line, index) =>
      index === 0 || line.trim() === '' ? line.trim() : `    ${line.trimEnd()}`,
    );
  const end = lines.length === 1 ? '' : '\n    ';
  return `"""${lines.join('\n')}${end}"""`;
}

/**
 * Text without characters that Python source cannot contain, and without halves of surrogate pairs,
 * which UTF-8 cannot represent.
 */
export function sourceText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{Control}\n\t]|\p{Surrogate}/gu, '\uFFFD');
}

/** How Python's types and texts express a schema. */
export function styleOf({ references }: SchemaDocument): DescriptionStyle {
  return {
    literal: pythonLiteral,
    hasIntegers: true,
    isNamed: (reference) => references.isNamed(reference),
  };
}
