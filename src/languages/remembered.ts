import type { Tool } from '../tools/tool.ts';

interface Made<Result> {
  readonly tools: readonly Tool[];
  readonly result: Result;
}

/** Stands for the first tool of an empty list. */
const NO_TOOL = {};

/**
 * Caches what `make` returns for a list of tools. Without it, each run would render the documentation of its tools again,
 * which takes longer than anything else that a run does before it asks the model. For each first tool, the cache has one
 * entry, that of the last list which began with it; the entry is garbage when that tool is.
 * @param make - Returns the same for the same tools.
 */
export function remembered<Result>(
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
