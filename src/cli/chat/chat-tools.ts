import { ToolRegistry } from '../../tools/registry/registry.ts';
import { openScenario } from '../demo/scenarios.ts';
import { readGivenTools, type GivenTools, type ToolOptions } from '../modules/given-tools.ts';

/** The tools of a chat, and their description for the user. */
export interface ChatTools extends GivenTools {
  /** The source of the tools, such as `./tools.mjs`. */
  readonly source: string;
  /** Suggests to the user what to ask. */
  readonly invitation: string;
}

/** How many tools the header of a chat lists at most; `/tools` lists all. */
const MAX_NAMED_TOOLS = 12;

/** The mock expense service. */
function mockTools(): ChatTools {
  const { tools, invitation } = openScenario('expenses');
  return {
    registry: new ToolRegistry(tools),
    policy: undefined,
    servers: [],
    clientIds: new Map(),
    source: 'mock expense data',
    invitation,
  };
}

/** The tools that the options name, or the mock data. @throws UsageError as `readGivenTools`. */
export async function chatTools(options: ToolOptions): Promise<ChatTools> {
  const { tools, mcp } = options;
  if (tools === undefined && mcp === undefined) return mockTools();
  return {
    ...(await readGivenTools(options)),
    source: [tools, mcp].filter((path) => path !== undefined).join(', '),
    invitation: 'Ask what the model can find out or do with these tools.',
  };
}

/** The names of the tools and their source, in one line. */
export function nameTools({ registry, source }: ChatTools): string {
  const names = registry.list().map(({ name }) => name);
  const more = names.length - MAX_NAMED_TOOLS;
  const shown = names.slice(0, MAX_NAMED_TOOLS).join(', ');
  const rest = more > 0 ? ` and ${more} more (see /tools)` : '';
  return `${shown}${rest} (${source})`;
}
