import { PtcError } from '../shared/errors.ts';
import { toTool, type ToolDefinition } from './define-tool.ts';
import type { Tool, ToolCaller } from './tool.ts';

/** Tools by name. */
export interface ToolSet {
  /** The tool of a name; undefined for any other, `constructor` and `__proto__` included. */
  get(name: string): Tool | undefined;
  /** All tools in the order of their registration. */
  list(): readonly Tool[];
  /** Those that a caller may call. */
  forCaller(caller: ToolCaller): readonly Tool[];
  /** The same tools, for a run that must not see later ones. */
  snapshot(): ToolSet;
}

/** Tools by name, to which more can be added. */
export class ToolRegistry implements ToolSet {
  readonly #tools: Map<string, Tool> = new Map();
  #current: ToolSet = freeze(this.#tools);

  constructor(tools: Iterable<Tool | ToolDefinition> = []) {
    for (const tool of tools) this.register(tool);
  }

  /**
   * Adds a tool, or a definition of one, and returns the tool.
   * @throws PtcError `TOOL_INVALID`, or `TOOL_NAME_CLASH` where its name or its identifier is taken.
   */
  register(toolOrDefinition: Tool | ToolDefinition): Tool {
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

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  list(): readonly Tool[] {
    return this.#current.list();
  }

  forCaller(caller: ToolCaller): readonly Tool[] {
    return this.#current.forCaller(caller);
  }

  snapshot(): ToolSet {
    return this.#current;
  }
}

function freeze(tools: ReadonlyMap<string, Tool>): ToolSet {
  const byName = new Map(tools);
  const list = Object.freeze([...byName.values()]);
  const forCaller = (caller: ToolCaller): readonly Tool[] =>
    Object.freeze(list.filter((tool) => tool.allowedCallers.includes(caller)));
  const lists = { code: forCaller('code'), direct: forCaller('direct') };
  const set: ToolSet = Object.freeze({
    get: (name: string) => byName.get(name),
    list: () => list,
    forCaller: (caller: ToolCaller) => lists[caller],
    snapshot: () => set,
  });
  return set;
}

function isTool(value: Tool | ToolDefinition): value is Tool {
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
