import type { Tool } from '../tools/tool.ts';

interface Made<Result> {
  readonly tools: readonly Tool[];
  readonly result: Result;
}

/** Used as the first tool of an empty list. */
const NO_TOOL = {};

/**
 * Caches what `make` returns for a list of tools. Without the cache, each program would render the
 * documentation of its tools again, which takes longer than everything else before the model is
 * asked. For each first tool, the cache keeps the result of the last list that began with it, as
 * long as the tool exists.
 * @param make - Returns the same result for the same tools.
 */
export function cachedByTools<Result>(
  make: (tools: readonly Tool[]) => Result,
): (tools: readonly Tool[]) => Result {
  const made = new WeakMap<object, Made<Result>>();
  return (tools) => {
    const [first = NO_TOOL] = tools;
    const last = made.get(first);
    if (last !== undefined && areSame(last.tools, tools)) return last.result;
    const result = make(tools);
    made.set(first, { tools: [...tools], result });
    return result;
  };
}

function areSame(some: readonly Tool[], others: readonly Tool[]): boolean {
  return some.length === others.length && some.every((tool, index) => tool === others[index]);
}

/**
 * Caches the documentation of all tools, as `Language.documentation` returns it. That of some of them
 * is made each time.
 */
export function cachedDocumentation(
  make: (tools: readonly Tool[], all: readonly Tool[]) => string,
): (tools: readonly Tool[], all?: readonly Tool[]) => string {
  const ofAll = cachedByTools((tools) => make(tools, tools));
  return (tools, all) => (all === undefined ? ofAll(tools) : make(tools, all));
}

/** Caches what `make` returns for a tool as long as the tool exists. */
export function cachedByTool<Result>(make: (tool: Tool) => Result): (tool: Tool) => Result {
  const made = new WeakMap<Tool, { readonly result: Result }>();
  return (tool) => {
    const known = made.get(tool) ?? { result: make(tool) };
    made.set(tool, known);
    return known.result;
  };
}
