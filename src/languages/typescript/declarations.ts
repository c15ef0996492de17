import type { JsonValue } from '../../shared/json/json.ts';
import { isJavaScriptKeyword, toJavaScriptPath } from '../../tools/names.ts';
import type { Tool } from '../../tools/tool.ts';
import { cachedByTools } from '../cached-by-tools.ts';
import { deferredNote, mayBeDeferred } from '../deferred-note.ts';
import { Definitions, documentOf, type SchemaDocument } from '../schema/definitions.ts';
import { elements, flatten } from '../schema/json-schema.ts';
import { observedNote } from '../shapes/observed-note.ts';
import { comment, noteOf } from './comments.ts';
import { typescriptLiteral } from './literal.ts';
import { LIBRARY_TYPES } from './library-types.ts';
import { indent } from './objects.ts';
import { textOf } from './type.ts';
import { definedType, typescriptType } from './types.ts';

const TOOL_ERROR = 'declare class ToolError extends Error {\n  type: string;\n  tool: string;\n}';

/** Where a program finds a tool: in an object, or by itself. */
export interface TypeScriptTool {
  readonly tool: Tool;
  readonly resource: string | undefined;
  readonly name: string;
}

/**
 * Where programs find each tool. Tools by themselves come first, because an object can be a
 * function too: with the tools `orders` and `orders:list`, there are `orders(…)` and
 * `orders.list(…)`.
 */
export function locateTools(tools: readonly Tool[]): TypeScriptTool[] {
  const taken = new Set<string>();
  const places = tools.map((tool) => {
    const [resource, name] = toJavaScriptPath(tool.name) ?? [];
    const path = `${resource}.${name}`;
    if (resource === undefined || name === undefined || taken.has(path)) {
      return { tool, resource: undefined, name: tool.identifier };
    }
    taken.add(path);
    return { tool, resource, name };
  });
  return [
    ...places.filter(({ resource }) => resource === undefined),
    ...places.filter(({ resource }) => resource !== undefined),
  ];
}

const placesOf = cachedByTools(
  (tools): ReadonlyMap<Tool, TypeScriptTool> =>
    new Map(locateTools(tools).map((place) => [place.tool, place])),
);

/** How a program names a tool: `find_orders` or `orders.find`. */
export function pathOf({ resource, name }: TypeScriptTool): string {
  return resource === undefined ? name : `${resource}.${name}`;
}

/**
 * The tools as one complete `.d.ts` text, which is the same for the same tools.
 * @param all - All tools of the program, which decide where each is found.
 */
export function declarations(tools: readonly Tool[], all: readonly Tool[] = tools): string {
  return [...observedNote(tools, '//'), declare(tools, all, declarationOf)].join('\n\n');
}

/** The same for the type check: a result can have more than what was observed, so it can be anything. */
export function checkedDeclarations(tools: readonly Tool[]): string {
  return declare(tools, tools, (place, definitions) =>
    declarationOf(withoutObserved(place), definitions),
  );
}

function withoutObserved(place: TypeScriptTool): TypeScriptTool {
  const { observedSchema: _observed, ...tool } = place.tool;
  return { ...place, tool };
}

/** Writes how a function is called. */
type Declare = (
  place: TypeScriptTool,
  definitions: Definitions,
) => { readonly documentation: string; readonly signature: string };

function declare(tools: readonly Tool[], all: readonly Tool[], declaration: Declare): string {
  const definitions = newDefinitions();
  const known = placesOf(all);
  const places = tools.flatMap((tool) => known.get(tool) ?? []);
  const functions: string[] = [];
  for (const place of places.filter(({ resource }) => resource === undefined)) {
    const { documentation, signature } = declaration(place, definitions);
    functions.push(`${documentation}declare function ${place.name}${signature}`);
  }
  for (const resource of new Set(places.map((place) => place.resource))) {
    if (resource === undefined) continue;
    const members = places.filter((place) => place.resource === resource);
    functions.push(namespaceOf(resource, members, (place) => declaration(place, definitions)));
  }
  return [TOOL_ERROR, ...definitions.texts(), ...functions].join('\n\n');
}

function namespaceOf(
  resource: string,
  places: readonly TypeScriptTool[],
  declaration: (place: TypeScriptTool) => ReturnType<Declare>,
): string {
  const renamed = places.filter(({ name }) => isJavaScriptKeyword(name));
  // If one member is exported explicitly, all must be.
  const word = renamed.length > 0 ? 'export function' : 'function';
  const taken = new Set(places.map(({ name }) => name));
  const lines = places.map((place) => {
    const { documentation, signature } = declaration(place);
    if (!renamed.includes(place)) return `${documentation}${word} ${place.name}${signature}`;
    let alias = `${place.name}_`;
    while (taken.has(alias)) alias += '_';
    taken.add(alias);
    return `${documentation}function ${alias}${signature}\nexport { ${alias} as ${place.name} };`;
  });
  return `declare namespace ${resource} {\n${lines.map(indent).join('\n')}\n}`;
}

function declarationOf(
  place: TypeScriptTool,
  definitions: Definitions,
): { documentation: string; signature: string } {
  const { inputSchema, observedSchema, outputSchema = observedSchema } = place.tool;
  const input = documentOf(inputSchema);
  const { schema } = flatten(inputSchema, inputSchema);
  const isOptional = typeof schema !== 'boolean' && elements(schema['required']).length === 0;
  const type = typeOf(input, definitions);
  const known = outputSchema === undefined ? 'any' : typeOf(documentOf(outputSchema), definitions);
  const result = mayBeDeferred(place.tool) ? withReceipt(known) : known;
  return {
    documentation: comment(explanationOf(place)),
    signature: `(input${isOptional ? '?' : ''}: ${type}): Promise<${result}>;${observedSchema === undefined ? '' : ' // observed'}`,
  };
}

/** The type of what a call returns that may be deferred. */
function withReceipt(type: string): string {
  return type === 'any' ? type : `${type} | { deferred: true; number: number }`;
}

function typeOf(document: SchemaDocument, definitions: Definitions): string {
  const { root, references } = document;
  const schema = references.isNamed('#') ? { $ref: '#' } : root;
  return textOf(typescriptType(schema, document, definitions));
}

/** What the signature cannot express: the description, the result in words, and examples. */
function explanationOf(place: TypeScriptTool): string {
  const { tool } = place;
  const lines = [tool.description.trim()];
  const path = pathOf(place);
  if (path !== tool.name.replace(':', '.')) {
    lines.push(`(This is the tool ${JSON.stringify(tool.name)}.)`);
  }
  const { outputSchema, outputDescription } = tool;
  const result = [
    outputDescription?.trim() ?? '',
    outputSchema === undefined ? '' : noteOf(outputSchema, documentOf(outputSchema)),
  ].filter((text) => text !== '');
  if (result.length > 0) lines.push(`@returns ${result.join('\n')}`);
  if (mayBeDeferred(tool)) lines.push(deferredNote('returns', '{ deferred: true, number: … }'));
  for (const example of tool.inputExamples) {
    lines.push(`@example await ${path}(${typescriptLiteral(example)})`);
  }
  return lines.join('\n');
}

function newDefinitions(): Definitions {
  return new Definitions(['ToolError', ...LIBRARY_TYPES], writeDefinition);
}

function writeDefinition(
  name: string,
  target: JsonValue,
  document: SchemaDocument,
  definitions: Definitions,
): string {
  const type = definedType(target, document, definitions);
  const documentation = comment(noteOf(target, document));
  const text = textOf(type);
  const isObject = type.parts.length === 1 && text.startsWith('{') && text.endsWith('}');
  return isObject
    ? `${documentation}interface ${name} ${text}`
    : `${documentation}type ${name} = ${text};`;
}
