import type { JsonObject, JsonValue } from '../../shared/json/json.ts';
import type { Tool } from '../../tools/tool.ts';
import { deferredNote, mayBeDeferred } from '../deferred-note.ts';
import { describe, describeParts, type DescriptionStyle } from '../schema/constraints.ts';
import { jsonShape, jsonTypes } from '../schema/json-shape.ts';
import { rootPropertiesOf } from '../schema/root-properties.ts';
import { shownJson } from '../schema/shown-json.ts';
import { UniqueNames } from '../stub-parameters.ts';
import { SHELL_NAMES } from './shell-names.ts';

const STYLE: DescriptionStyle = {
  literal: shownJson,
  hasIntegers: true,
  isNamed: () => false,
};

export interface BashParameter {
  /** The property's name in the input schema. */
  readonly name: string;
  /** The name of the flag, without its dashes. */
  readonly flag: string;
  /** The JSON types that it accepts, and for a list, those of its items. */
  readonly types: readonly string[];
  readonly schema: JsonValue;
  readonly isRequired: boolean;
}

/** The names of the tools as commands. None hides a command that programs are likely to use. */
export function commandNames(tools: readonly Tool[]): ReadonlyMap<Tool, string> {
  const taken = new Set(tools.map((tool) => tool.identifier));
  return new Map(
    tools.map((tool) => {
      let name = tool.identifier;
      if (SHELL_NAMES.has(name)) {
        while (SHELL_NAMES.has(name) || taken.has(name)) name += '_';
        taken.add(name);
      }
      return [tool, name];
    }),
  );
}

/** A tool's parameters: the required ones in the schema's order, then the optional ones. */
export function parametersOf(tool: Tool): BashParameter[] {
  const { properties, required } = rootPropertiesOf(tool.inputSchema);
  const names = [...new Set([...properties.keys(), ...required])];
  const flags = new UniqueNames(names);
  return names
    .sort((a, b) => Number(required.has(b)) - Number(required.has(a)))
    .map((name) => ({
      name,
      flag: flagOf(name, flags),
      types: jsonTypes(properties.get(name) ?? true, tool.inputSchema),
      schema: properties.get(name) ?? true,
      isRequired: required.has(name),
    }));
}

/** The name of a flag, which can be seen, and which no other parameter has, also not as its own name. */
function flagOf(name: string, flags: UniqueNames): string {
  const plain = name.replaceAll(/[^\p{L}\p{N}_]|\p{Default_Ignorable_Code_Point}/gu, '_');
  return plain === name ? name : flags.add(plain);
}

/** A tool's manual: how it is called, what it does, its arguments and its result. */
export function documentationOf(tool: Tool, command: string): string {
  const { description, inputExamples } = tool;
  const lines = [
    description.trim(),
    ...(command === tool.name ? [] : [`(This is the tool ${JSON.stringify(tool.name)}.)`]),
    ...parametersOf(tool).flatMap((parameter) => parameterLines(parameter, tool.inputSchema)),
    ...resultLines(tool),
    ...(mayBeDeferred(tool) ? [deferredNote('prints', '{"deferred":true,"number":…}')] : []),
    ...inputExamples.map(
      (example) => `Example: ${command} ${quote(shownJson(example as JsonValue))}`,
    ),
  ];
  const indented = lines.flatMap((line) => line.split('\n')).map((line) => `    ${line}`.trimEnd());
  return [usageOf(tool, command), ...indented].join('\n');
}

function usageOf(tool: Tool, command: string): string {
  const flags = parametersOf(tool).map(({ flag, schema, isRequired }) => {
    const usage = `--${flag} <${jsonShape(schema, tool.inputSchema)}>`;
    return isRequired ? usage : `[${usage}]`;
  });
  return [command, ...flags].join(' ');
}

function parameterLines({ name, flag, schema }: BashParameter, root: JsonObject): string[] {
  const mapped = flag === name ? '' : `(in JSON ${shownJson(name)})`;
  const text = [mapped, describe(schema, root, STYLE)].filter((part) => part !== '').join(' ');
  const parts = describeParts(schema, root, flag, STYLE);
  return text === '' ? parts : [`--${flag}: ${text}`, ...parts];
}

function resultLines({ observedSchema, outputSchema, outputDescription }: Tool): string[] {
  const schema = outputSchema ?? observedSchema;
  const mark = schema === observedSchema ? '  # observed' : '';
  const texts = [schema && `${jsonShape(schema, schema)}${mark}`, outputDescription?.trim()];
  const known = texts.filter((text) => text !== undefined && text !== '');
  const parts = outputSchema ? describeParts(outputSchema, outputSchema, 'result', STYLE) : [];
  return known.length === 0 ? parts : [`Prints: ${known.join('\n')}`, ...parts];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
