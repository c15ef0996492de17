import { isRecord } from '../../shared/guards.ts';
import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import { toPythonParameter } from '../../tools/names.ts';
import type { Tool } from '../../tools/tool.ts';
import { deferredNote, mayBeDeferred } from '../deferred-note.ts';
import { describe, describeParts, describeWithoutDefault } from '../schema/constraints.ts';
import { shownJson } from '../schema/shown-json.ts';
import { documentOf, type Definitions } from '../schema/definitions.ts';
import { flatten } from '../schema/json-schema.ts';
import { rootPropertiesOf } from '../schema/root-properties.ts';
import { UniqueNames } from '../stub-parameters.ts';
import { pythonLiteral } from './literal.ts';
import { docstring, styleOf } from './source.ts';
import { pythonType } from './types.ts';

/** A longer default is shown in the documentation and not in the signature. */
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
  const { properties, required } = rootPropertiesOf(tool.inputSchema);
  // A name can be required without a schema of its own.
  const names = new Set([...properties.keys(), ...required]);
  const ordered = [...names].sort((a, b) => Number(required.has(b)) - Number(required.has(a)));
  const identifiers = new UniqueNames(names);
  return ordered.map((name) => {
    const identifier = identifierOf(name, identifiers);
    const property = properties.get(name) ?? true;
    return { name, identifier, schema: property, isRequired: required.has(name) };
  });
}

/**
 * An identifier that is not the name of another parameter: in a dict of all arguments, a key can be
 * either.
 */
function identifierOf(name: string, identifiers: UniqueNames): string {
  const plain = toPythonParameter(name);
  return plain === name ? name : identifiers.add(plain);
}

/**
 * A signature such as `get_expenses(employee_id: str, limit: int = 10) -> list[dict]`.
 * @param name - What the function is called.
 */
export function signatureOf(tool: Tool, name: string, definitions: Definitions): string {
  const root = tool.inputSchema;
  const document = documentOf(root);
  const parameters = parametersOf(tool).map(({ identifier, schema, isRequired }) => {
    const annotated = `${identifier}: ${pythonType(schema, document, definitions)}`;
    return isRequired ? annotated : `${annotated} = ${defaultOf(schema, root)}`;
  });
  const { additionalProperties: others } = root;
  if (others === true || isRecord(others)) {
    const identifier = new UniqueNames(parametersOf(tool).map((p) => p.identifier)).add(
      'arguments',
    );
    parameters.push(`**${identifier}: ${pythonType(others, document, definitions)}`);
  }
  const output = tool.outputSchema ?? tool.observedSchema;
  const result = output ? pythonType(output, documentOf(output), definitions) : 'Any';
  // The receipt of a call that is deferred is a dict.
  const returned = output && mayBeDeferred(tool) ? `Union[${result}, dict]` : result;
  return `${name}(${parameters.join(', ')}) -> ${returned}`;
}

/** What follows a signature whose result is only what was observed. */
export function markOf({ observedSchema }: Tool): string {
  return observedSchema === undefined ? '' : '  # observed';
}

/**
 * What the signature cannot express: the descriptions, the result in words, and examples.
 * @param path - How a program names the function: `find_orders` or `orders.find`.
 */
export function explanationOf(tool: Tool, path: string): string {
  const sections = [[tool.description.trim()], parameterLines(tool), resultLines(tool)];
  if (mayBeDeferred(tool)) {
    sections.push([deferredNote('returns', '{"deferred": True, "number": …}')]);
  }
  if (path !== tool.name.replace(':', '.')) {
    sections[0]?.push(`(This is the tool ${JSON.stringify(tool.name)}.)`);
  }
  sections.push(
    tool.inputExamples.map((example) => `Example: ${exampleCall(tool, path, example)}`),
  );
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function parameterLines(tool: Tool): string[] {
  const root = tool.inputSchema;
  const style = styleOf(documentOf(root));
  return parametersOf(tool).flatMap(({ name, identifier, schema }) => {
    const mapped = identifier === name ? '' : `(argument ${shownJson(name)})`;
    const isDefaultShown = defaultOf(schema, root) !== '...';
    const description = (isDefaultShown ? describeWithoutDefault : describe)(schema, root, style);
    const text = [mapped, description].filter((part) => part !== '').join(' ');
    const parts = describeParts(schema, root, identifier, style);
    return text === '' ? parts : [`${identifier}: ${text}`, ...parts];
  });
}

function resultLines({ outputSchema, outputDescription }: Tool): string[] {
  const style = outputSchema && styleOf(documentOf(outputSchema));
  const texts = [outputDescription?.trim(), style && describe(outputSchema, outputSchema, style)];
  const known = texts.filter((text) => text !== undefined && text !== '');
  const parts = style ? describeParts(outputSchema, outputSchema, 'result', style) : [];
  return known.length === 0 ? parts : [`Returns: ${known.join('\n')}`, ...parts];
}

function exampleCall(tool: Tool, path: string, example: JsonObject): string {
  const identifiers = new Map(parametersOf(tool).map(({ name, identifier }) => [name, identifier]));
  const entries = Object.entries(example);
  const isNamed = entries.every(([name]) => identifiers.has(name));
  const passed = isNamed
    ? entries.map(([name, value]) => `${identifiers.get(name)}=${pythonLiteral(value)}`).join(', ')
    : `**${pythonLiteral(example)}`;
  return `await ${path}(${passed})`;
}

/**
 * The default if it is known and short, otherwise `...` as in a stub file: the argument can be left
 * out.
 */
function defaultOf(source: JsonValue, root: JsonObject): string {
  const { schema } = flatten(source, root);
  const value = typeof schema === 'boolean' ? undefined : schema['default'];
  const literal = value === undefined ? '...' : pythonLiteral(value);
  return literal.length > LONGEST_DEFAULT ? '...' : literal;
}

/**
 * The functions as Python source, each a definition whose body is its docstring. Those of a name
 * space are in a class, which is how Python writes `orders.find`.
 * @param paths - How a program names each function.
 */
export function definitionsOf(
  tools: readonly Tool[],
  paths: readonly string[],
  definitions: Definitions,
): string[] {
  const functions: string[] = [];
  const namespaces = new Map<string, string[]>();
  for (const [index, tool] of tools.entries()) {
    const path = paths[index] ?? tool.identifier;
    const [name = '', attribute] = path.split('.');
    const signature = signatureOf(tool, attribute ?? name, definitions);
    const text = `async def ${signature}:${markOf(tool)}\n    ${docstring(explanationOf(tool, path))}`;
    if (attribute === undefined) functions.push(text);
    else namespaces.set(name, [...(namespaces.get(name) ?? []), indented(text)]);
  }
  const classes = [...namespaces].map(
    ([name, methods]) => `class ${name}:  # await ${name}.…(…)\n${methods.join('\n\n')}`,
  );
  return [...functions, ...classes];
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ');
}
