import { ToolRegistry } from '../../tools/registry.ts';
import { expenseTools } from '../demo/expense-tools.ts';
import { loadTools } from '../tools-module.ts';

/** What a chat is about. */
export interface ChatTools {
  readonly registry: ToolRegistry;
  /** Where the tools are from, such as `./tools.mjs`. */
  readonly source: string;
  /** Tells a person what to ask. */
  readonly invitation: string;
}

/** Most tools that the header of a chat names; `/tools` lists all. */
const MOST_NAMED = 12;

/** The mock expense service. */
export function mockTools(): ChatTools {
  return {
    registry: new ToolRegistry(expenseTools),
    source: 'mock expense data',
    invitation: 'Ask about the expenses of the engineering, sales and marketing departments.',
  };
}

/** The tools of a module. @throws UsageError as `loadTools`. */
export async function toolsOfModule(path: string): Promise<ChatTools> {
  return {
    registry: await loadTools(path),
    source: path,
    invitation: 'Ask what the model can find out or do with these tools.',
  };
}

/** The names of the tools and where they are from, in one line. */
export function nameTools({ registry, source }: ChatTools): string {
  const names = registry.list().map(({ name }) => name);
  const more = names.length - MOST_NAMED;
  const shown = names.slice(0, MOST_NAMED).join(', ');
  const rest = more > 0 ? ` and ${more} more, which /tools lists` : '';
  return `${shown}${rest} (${source})`;
}
