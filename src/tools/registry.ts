import { PtcError } from '../shared/errors.ts';
import { hasMethod, isRecord } from '../shared/guards.ts';
import { invalidOption } from '../shared/options/option-values.ts';
import { showValue } from '../shared/show-value.ts';
import { toTool, type ToolOrDefinition } from './define-tool.ts';
import type { Tool, ToolCaller } from './tool.ts';

/**
 * Tools by name.
 * @typeParam Context - The type of the `context` that the tools need. `ToolSet` without it stands
 * for any set of tools.
 */
export interface ToolSet<Context = never> {
  /** The tool of a name; undefined for any other name, even `constructor` and `__proto__`. */
  get(name: string): Tool<Context> | undefined;
  /** All tools in the order of their registration. */
  list(): readonly Tool<Context>[];
  /** The tools that a caller may call. */
  forCaller(caller: ToolCaller): readonly Tool<Context>[];
  /** A copy, for a program that must not see tools that are added later. */
  snapshot(): ToolSet<Context>;
}

/**
 * Tools as an option: a set of tools, or an array or another iterable of tools or definitions.
 * @typeParam Context - As for `ToolSet`.
 */
export type ToolsOption<Context = never> = ToolSet<Context> | Iterable<ToolOrDefinition<Context>>;

/**
/**
 * Checks the option `tools`.
 * @throws PtcError `OPTION_INVALID` for a value that is not a set or an iterable of tools.
 */
export function checkTools(tools: unknown): void {
  if (tools === undefined || hasMethod(tools, 'snapshot')) return;
  if (typeof tools === 'object' && hasMethod(tools, Symbol.iterator)) return;
  throw invalidOption('tools', tools, 'an array of tools, or a ToolRegistry');
}

/**
 * The set of the tools of an option. It gets no more tools, unless it is the option itself.
 * @throws PtcError `TOOL_INVALID` or `TOOL_NAME_CLASH`, as `ToolRegistry`.
 */
export function toolSetOf<Context>(tools: ToolsOption<Context>): ToolSet<Context> {
  if (!(Symbol.iterator in tools)) return tools;
  const list = [...tools];
  const wrong = list.find((tool) => !isRecord(tool));
  if (wrong === undefined) return new ToolRegistry(list).snapshot();
  const message = `tools must be tools or definitions of tools, not ${showValue(wrong)}. Use defineTool.`;
  throw new PtcError('TOOL_INVALID', message);
}

/**
 * Tools by name. More can be added.
 * @typeParam Context - The type of the `context` that the tools need, inferred from the tools that
 * are passed. If they need different parts of one context, name its type: `new
 * ToolRegistry<App>([…])`. `ToolRegistry` without it stands for any registry.
 * @typeParam Each - The type of the tools that the constructor gets, for `RuleFor`.
 */
export class ToolRegistry<Context = never, Each = unknown> implements ToolSet<Context> {
  readonly #tools: Map<string, Tool<Context>> = new Map();
  #current: ToolSet<Context> = freeze(this.#tools);

  /** @throws PtcError as `register`. */
  constructor(tools: Iterable<ToolOrDefinition<Context>> & Iterable<Each> = []) {
    if (typeof Object(tools)[Symbol.iterator] !== 'function' || typeof tools === 'string') {
      const message = `The tools of a ToolRegistry must be an array, not ${showValue(tools)}.`;
      throw new PtcError('TOOL_INVALID', message);
    }
    for (const tool of tools) this.register(tool);
  }

  /**
   * Adds a tool, or the definition of one, and returns the tool.
   * @throws PtcError `TOOL_INVALID`, or `TOOL_NAME_CLASH` if its name or its function name is in
   * use.
   */
  register(toolOrDefinition: ToolOrDefinition<Context>): Tool<Context> {
    const tool = isTool(toolOrDefinition) ? toolOrDefinition : toTool(toolOrDefinition);
    for (const other of this.#tools.values()) {
      if (other.name === tool.name)
        throw clash(tool, other, 'A tool with this name is registered already');
      if (other.identifier === tool.identifier) {
        throw clash(tool, other, `Both would be the function ${tool.identifier} in programs`);
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

function isTool<Context>(value: ToolOrDefinition<Context>): value is Tool<Context> {
  return typeof value === 'object' && value !== null && 'validateInput' in value;
}

function clash(tool: Tool, other: Tool, reason: string): PtcError {
  const names = [tool.name, other.name];
  return new PtcError(
    'TOOL_NAME_CLASH',
    `The tools ${names.map((name) => JSON.stringify(name)).join(' and ')} cannot be in the same registry. ${reason}; rename one of them.`,
    { details: { names } },
  );
}
