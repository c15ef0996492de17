import { PtcError } from '../shared/errors.ts';
import { toTool, type ToolDefinition } from './define-tool.ts';
import type { SchemaSource } from './schema.ts';
import type { Tool, ToolCaller } from './tool.ts';

/**
 * Tools by name.
 * @typeParam Context - What a run has to be given for them. `ToolSet` without it is any set, whatever its tools need.
 */
export interface ToolSet<Context = never> {
  /** The tool of a name; undefined for any other, `constructor` and `__proto__` included. */
  get(name: string): Tool<Context> | undefined;
  /** All tools in the order of their registration. */
  list(): readonly Tool<Context>[];
  /** Those that a caller may call. */
  forCaller(caller: ToolCaller): readonly Tool<Context>[];
  /** The same tools, for a run that must not see later ones. */
  snapshot(): ToolSet<Context>;
}

/**
 * Tools by name, to which more can be added.
 * @typeParam Context - What a run has to be given for them, found from the tools that it begins with. If they need
 * different parts of one context, give its type: `new ToolRegistry<App>([…])`. `ToolRegistry` without it is any registry,
 * whatever its tools need.
 */
export class ToolRegistry<Context = never> implements ToolSet<Context> {
  readonly #tools: Map<string, Tool<Context>> = new Map();
  #current: ToolSet<Context> = freeze(this.#tools);

  constructor(
    tools: Iterable<Tool<Context> | ToolDefinition<SchemaSource, unknown, Context>> = [],
  ) {
    for (const tool of tools) this.register(tool);
  }

  /**
   * Adds a tool, or a definition of one, and returns the tool.
   * @throws PtcError `TOOL_INVALID`, or `TOOL_NAME_CLASH` where its name or its identifier is taken.
   */
  register(
    toolOrDefinition: Tool<Context> | ToolDefinition<SchemaSource, unknown, Context>,
  ): Tool<Context> {
    const tool = isTool(toolOrDefinition) ? toolOrDefinition : toTool(toolOrDefinition);
    for (const other of this.#tools.values()) {
      if (other.name === tool.name)
        throw clash(tool, other, 'A tool of this name is there already');
      if (other.identifier === tool.identifier) {
        throw clash(tool, other, `Both would be the function ${tool.identifier} in generated code`);
      }
    }
    this.#tools.set(tool.name, tool);
    this.#current = freeze(this.#tools);
    return tool;
  }

  get(name: string): Tool<Context> | undefined {
    return this.#tools.get(name);
  }

  list(): readonly Tool<Context>[] {
    return this.#current.list();
  }

  forCaller(caller: ToolCaller): readonly Tool<Context>[] {
    return this.#current.forCaller(caller);
  }

  snapshot(): ToolSet<Context> {
    return this.#current;
  }
}

function freeze<Context>(tools: ReadonlyMap<string, Tool<Context>>): ToolSet<Context> {
  const byName = new Map(tools);
  const list = Object.freeze([...byName.values()]);
  const forCaller = (caller: ToolCaller): readonly Tool<Context>[] =>
    Object.freeze(list.filter((tool) => tool.allowedCallers.includes(caller)));
  const lists = { code: forCaller('code'), direct: forCaller('direct') };
  const set: ToolSet<Context> = Object.freeze({
    get: (name: string) => byName.get(name),
    list: () => list,
    forCaller: (caller: ToolCaller) => lists[caller],
    snapshot: () => set,
  });
  return set;
}

function isTool<Context>(
  value: Tool<Context> | ToolDefinition<SchemaSource, unknown, Context>,
): value is Tool<Context> {
  return typeof value === 'object' && value !== null && 'validateInput' in value;
}

function clash(tool: Tool, other: Tool, reason: string): PtcError {
  const names = [tool.name, other.name];
  return new PtcError(
    'TOOL_NAME_CLASH',
    `The tools ${names.map((name) => JSON.stringify(name)).join(' and ')} cannot be together. ${reason}; rename one of them.`,
    { details: { names } },
  );
}
