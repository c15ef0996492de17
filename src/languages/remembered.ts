import type { Tool } from '../tools/tool.ts';

interface Made<Text> {
  readonly of: readonly Tool[];
  readonly text: Text;
}

/** Stands for the first tool of an empty list. */
const NO_TOOL = {};

/**
 * Makes something of tools once and not with every run: of the tools of an API that takes longer than all else that a
 * run does before it asks the model. Of all lists that begin with a tool the last one is kept, for as long as that tool.
 * @param make - Gives the same for the same tools.
 */
export function remembered<Text>(
  make: (tools: readonly Tool[]) => Text,
): (tools: readonly Tool[]) => Text {
  const made = new WeakMap<object, Made<Text>>();
  return (tools) => {
    const [first = NO_TOOL] = tools;
    const last = made.get(first);
    if (last !== undefined && areSame(last.of, tools)) return last.text;
    const text = make(tools);
    made.set(first, { of: [...tools], text });
    return text;
  };
}

function areSame(some: readonly Tool[], others: readonly Tool[]): boolean {
  return some.length === others.length && some.every((tool, index) => tool === others[index]);
}
