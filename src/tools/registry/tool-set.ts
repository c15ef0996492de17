import { hasMethod } from '../../shared/guards.ts';
import type { Tool, ToolCaller } from '../tool.ts';

/**
 * Tools by name.
 * @typeParam Context - The type of the `context` that the tools need. `ToolSet` without it stands
 * for any set of tools.
 */
export interface ToolSet<Context = never> {
  /** The tool of a name; undefined for any other name, even `constructor` and `__proto__`. */
  get(name: string): Tool<Context> | undefined;
  /** All tools in the order of their registration, then those of the sources. */
  list(): readonly Tool<Context>[];
  /** The tools that a caller may call. */
  forCaller(caller: ToolCaller): readonly Tool<Context>[];
  /** A copy, for a program that must not see tools that are added later. */
  snapshot(): ToolSet<Context>;
  /**
   * Calls a function, which must not throw, after each change of the tools. Without this method, they
   * never change. @returns a function that ends this.
   */
  onChange?(listener: () => void): () => void;
}

/** Whether tools that were passed are a set, rather than an array or another iterable. */
export function isToolSet<Context>(
  tools: ToolSet<Context> | Iterable<unknown>,
): tools is ToolSet<Context> {
  return hasMethod(tools, 'snapshot') && !(Symbol.iterator in tools);
}

/** A set of these tools, which never changes. */
export function frozenToolSet<Context>(tools: readonly Tool<Context>[]): ToolSet<Context> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const list = Object.freeze(tools);
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
