import type { Tool } from '../../tools/tool.ts';
import type { Language } from '../language.ts';

/** How programs of a language name the functions of tools, by the names of the tools. */
export function functionNames(
  language: Language,
  tools: readonly Tool[],
): ReadonlyMap<string, string> {
  const names = language.stubs(tools).map(({ name, identifier, path }) => {
    const tool = name ?? path?.replace('.', ':') ?? '';
    return [tool, path ?? identifier ?? tool] as const;
  });
  return new Map(names);
}
