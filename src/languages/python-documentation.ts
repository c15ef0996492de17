import type { JsonObject, JsonValue } from '../shared/json.ts';
import { toPythonParameter } from '../tools/names.ts';
import type { Tool } from '../tools/tool.ts';
import { describe, describeParts, describeWithoutDefault } from './python-constraints.ts';
import { pythonLiteral } from './python-literal.ts';
import { flatten, isRecord } from './python-schema.ts';
import { pythonType } from './python-types.ts';

/** A longer default is told in the docs and not in the signature. */
const LONGEST_DEFAULT = 40;

export interface PythonParameter {
  /** The property's name in the input schema. */
  readonly name: string;
  readonly identifier: string;
  readonly schema: JsonValue;
  readonly isRequired: boolean;
}

/** A tool's parameters: the required ones in the schema's order, then the optional ones. */
export function parametersOf(tool: Tool): PythonParameter[] {
  const { schema } = flatten(tool.inputSchema, tool.inputSchema);
  if (typeof schema === 'boolean') return [];
  const properties = new Map(
    isRecord(schema['properties']) ? Object.entries(schema['properties']) : [],
  );
  const required = new Set(
    (Array.isArray(schema['required']) ? schema['required'] : []).filter(
      (name) => typeof name === 'string',
    ),
  );
  // A name can be required without a schema of its own.
  const names = new Set([...properties.keys(), ...required]);
  const ordered = [...names].sort((a, b) => Number(required.has(b)) - Number(required.has(a)));
  const taken = new Set<string>();
  return ordered.map((name) => {
    const identifier = unused(toPythonParameter(name), taken);
    taken.add(identifier);
    const property = properties.get(name) ?? true;
    return { name, identifier, schema: property, isRequired: required.has(name) };
  });
}

/** Such as `get_expenses(employee_id: str, limit: int = 10) -> list[dict]`. */
export function signatureOf(tool: Tool): string {
  const root = tool.inputSchema;
  const parameters = parametersOf(tool).map(({ identifier, schema, isRequired }) => {
    const annotated = `${identifier}: ${pythonType(schema, root)}`;
    return isRequired ? annotated : `${annotated} = ${defaultOf(schema, root)}`;
  });
  const { additionalProperties: others } = root;
  if (others === true || isRecord(others)) {
    const identifier = unused('arguments', new Set(parametersOf(tool).map((p) => p.identifier)));
    parameters.push(`**${identifier}: ${pythonType(others, root)}`);
  }
  const result = tool.outputSchema ? pythonType(tool.outputSchema, tool.outputSchema) : 'Any';
  return `${tool.identifier}(${parameters.join(', ')}) -> ${result}`;
}

/** What the signature cannot say: the descriptions, the result in words, and examples. */
export function explanationOf(tool: Tool): string {
  const sections = [[tool.description.trim()], parameterLines(tool), resultLines(tool)];
  if (tool.identifier !== tool.name) {
    sections[0]?.push(`(This is the tool ${JSON.stringify(tool.name)}.)`);
  }
  sections.push(tool.inputExamples.map((example) => `Example: ${exampleCall(tool, example)}`));
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function parameterLines(tool: Tool): string[] {
  const root = tool.inputSchema;
  return parametersOf(tool).flatMap(({ name, identifier, schema }) => {
    const mapped = identifier === name ? '' : `(argument ${JSON.stringify(name)})`;
    const isDefaultShown = defaultOf(schema, root) !== '...';
    const description = (isDefaultShown ? describeWithoutDefault : describe)(schema, root);
    const text = [mapped, description].filter((part) => part !== '').join(' ');
    const parts = describeParts(schema, root, identifier);
    return text === '' ? parts : [`${identifier}: ${text}`, ...parts];
  });
}

function resultLines(tool: Tool): string[] {
  const { outputSchema, outputDescription } = tool;
  const texts = [outputDescription?.trim(), outputSchema && describe(outputSchema, outputSchema)];
  const known = texts.filter((text) => text !== undefined && text !== '');
  const parts = outputSchema ? describeParts(outputSchema, outputSchema, 'result') : [];
  return known.length === 0 ? parts : [`Returns: ${known.join('\n')}`, ...parts];
}

function exampleCall(tool: Tool, example: JsonObject): string {
  const identifiers = new Map(parametersOf(tool).map(({ name, identifier }) => [name, identifier]));
  const entries = Object.entries(example);
  const isNamed = entries.every(([name]) => identifiers.has(name));
  const passed = isNamed
    ? entries.map(([name, value]) => `${identifiers.get(name)}=${pythonLiteral(value)}`).join(', ')
    : `**${pythonLiteral(example)}`;
  return `await ${tool.identifier}(${passed})`;
}

/** A default that is known and short; else `...`, as in a stub file: it may be left out. */
function defaultOf(source: JsonValue, root: JsonObject): string {
  const { schema } = flatten(source, root);
  const value = typeof schema === 'boolean' ? undefined : schema['default'];
  const literal = value === undefined ? '...' : pythonLiteral(value);
  return literal.length > LONGEST_DEFAULT ? '...' : literal;
}

function unused(identifier: string, taken: ReadonlySet<string>): string {
  let candidate = identifier;
  for (let count = 2; taken.has(candidate); count++) candidate = `${identifier}_${count}`;
  return candidate;
}

/** The function as Python source: a definition whose body is its docstring. */
export function definitionOf(tool: Tool): string {
  const lines = explanationOf(tool)
    .replaceAll(/\r\n?/g, '\n')
    // Python source cannot hold these, and UTF-8 cannot hold half a surrogate pair.
    .replaceAll(/[^\P{Control}\n\t]|\p{Surrogate}/gu, '\uFFFD')
    .replaceAll('\\', '\\\\')
    .replaceAll(/"{3,}|"+$/g, (quotes) => '\\"'.repeat(quotes.length))
    .split('\n')
    .map((line, index) =>
      index === 0 || line.trim() === '' ? line.trim() : `    ${line.trimEnd()}`,
    );
  const end = lines.length === 1 ? '' : '\n    ';
  return `async def ${signatureOf(tool)}:\n    """${lines.join('\n')}${end}"""`;
}
