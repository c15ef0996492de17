import { PtcError } from '../../shared/errors.ts';
import { hasMethod, isRecord } from '../../shared/guards.ts';
import { checkOptionNames } from '../../shared/options/option-names.ts';
import { showValue } from '../../shared/show-value.ts';
import { boundedText } from '../bounded-text.ts';
import {
  DEFINITION,
  isTool,
  toTool,
  type ToolDefinition,
  type ToolOrDefinition,
} from '../define-tool.ts';
import { withBoundedTexts } from '../schema/bounded-texts.ts';
import { deepFreeze } from '../schema/shared-schema.ts';
import { describeTool } from '../describe-tool.ts';
import { toIdentifier } from '../names.ts';
import type { Tool } from '../tool.ts';
import type { ToolSource } from './tool-source.ts';

/** Larger sources fill the memory of each sandbox, which is told the names of all tools. */
const MAXIMUM_TOOLS = 10_000;

type DefinitionOf<Context> = Exclude<ToolOrDefinition<Context>, Tool<Context>>;

/**
 * Makes the tools of a source. What it says about them comes from elsewhere, so names are checked and
 * texts are bounded. Their JSON Schemas are compiled when they are first called.
 */
export class SourceTools<Context> {
  readonly #source: ToolSource<Context>;
  /** Unchanged tools stay the same objects, so that nothing made of them has to be made again. */
  readonly #made: WeakMap<object, Tool<Context>> = new WeakMap();

  /** @throws PtcError `TOOL_INVALID` if this is not a source, or its name cannot be used. */
  constructor(source: ToolSource<Context>) {
    checkSource(source);
    this.#source = source;
  }

  /** The tools as they are now. @throws PtcError `TOOL_INVALID`, and what the source throws. */
  read(): readonly Tool<Context>[] {
    const { name } = this.#source;
    const tools: Tool<Context>[] = [];
    for (const given of this.#source.tools()) {
      if (tools.length === MAXIMUM_TOOLS) {
        throw invalid(
          `The source ${name} has more than ${MAXIMUM_TOOLS} tools; divide it, or leave tools out.`,
        );
      }
      tools.push(this.#toolOf(given));
    }
    return tools;
  }

  #toolOf(given: ToolOrDefinition<Context>): Tool<Context> {
    const known = isRecord(given) ? this.#made.get(given) : undefined;
    if (known !== undefined) return known;
    describeTool(given);
    const { name: source, defer = true } = this.#source;
    if (given.name.includes(':')) {
      throw invalid(
        `The tool name ${JSON.stringify(given.name)} of the source ${source} contains a colon, which ends the name of the source; choose another name.`,
      );
    }
    const name = `${source}:${given.name}`;
    // Its copy has only the names of options.
    if (!isTool(given)) checkOptionNames(given, { ...DEFINITION, of: describeTool({ name }) });
    const own = { ...boundedTexts(given), name, defer: given.defer ?? defer };
    const tool = isTool(given)
      ? Object.freeze({
          ...given,
          ...own,
          ...boundedSchemas(given),
          identifier: toIdentifier(name),
        })
      : toTool({ ...copyOf(given), ...own }, 'first call');
    this.#made.set(given, tool);
    return tool;
  }
}

/** A copy of a definition, which can be an object of a class: its getters are read, and `run` keeps its `this`. */
function copyOf<Context>(definition: DefinitionOf<Context>): DefinitionOf<Context> {
  const names = Object.keys(DEFINITION.names) as (keyof ToolDefinition)[];
  const known = Object.fromEntries(names.map((name) => [name, definition[name]]));
  const run = hasMethod(definition, 'run') && { run: definition.run.bind(definition) };
  return { ...known, ...run } as DefinitionOf<Context>;
}

type Schemas = Pick<Tool, 'inputSchema' | 'outputSchema'>;

/** The schemas of a tool that was made elsewhere, with bounded texts. */
function boundedSchemas({ inputSchema, outputSchema }: Schemas): Schemas {
  return {
    inputSchema: deepFreeze(withBoundedTexts(inputSchema)),
    outputSchema: outputSchema && deepFreeze(withBoundedTexts(outputSchema)),
  };
}

/** The texts of a tool, cut to a limit, and with escapes for invisible and control characters. */
function boundedTexts({ description, outputDescription }: ToolOrDefinition): {
  readonly description: string;
  readonly outputDescription?: string;
} {
  return {
    description: bounded(description),
    ...(outputDescription === undefined ? {} : { outputDescription: bounded(outputDescription) }),
  };
}

/** Values of other types stay, so that they are refused as those of other tools are. */
function bounded(text: string): string {
  return typeof text === 'string' ? boundedText(text) : text;
}

/** @throws PtcError `TOOL_INVALID` for a name that a source cannot have. */
export function checkSourceName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || !/^[A-Za-z]\w{0,63}$/.test(name)) {
    throw invalid(
      `The name of a source must be up to 64 letters, digits and underscores, beginning with a letter, not ${showValue(name)}.`,
    );
  }
  if (toIdentifier(name) !== name) {
    throw invalid(
      `The source name ${JSON.stringify(name)} has a meaning in Python or JavaScript, and programs would lose it; choose another name.`,
    );
  }
}

function checkSource(source: unknown): void {
  if (!isRecord(source)) {
    throw invalid(
      `A source of tools must be an object with name and tools, not ${showValue(source)}.`,
    );
  }
  if (typeof source['then'] === 'function') {
    throw invalid(
      'A source of tools must be an object with name and tools, not a promise. Await it first, as in addSource(await mcpTools(…)).',
    );
  }
  const { name, tools, defer, onChange } = source;
  checkSourceName(name);
  if (typeof tools !== 'function') {
    throw invalid(`The source ${name} needs a method tools() that returns its tools.`);
  }
  if (defer !== undefined && typeof defer !== 'boolean') {
    throw invalid(`defer of the source ${name} must be true or false, not ${showValue(defer)}.`);
  }
  if (onChange !== undefined && typeof onChange !== 'function') {
    throw invalid(`onChange of the source ${name} must be a method, not ${showValue(onChange)}.`);
  }
}

function invalid(message: string): PtcError {
  return new PtcError('TOOL_INVALID', message);
}
