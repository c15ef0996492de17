import type { McpServer } from '../../mcp/client/mcp-server.ts';
import { ToolRegistry } from '../../tools/registry.ts';
import { readServersFile } from '../mcp/servers-file.ts';
import { loadTools } from './tools-module.ts';

/** The options of a command that say which tools programs have. */
export interface ToolOptions {
  /** The path of a module whose default export is an array of tools. */
  readonly tools?: string;
  /** The path of a JSON file with MCP servers. */
  readonly mcp?: string;
}

/** The tools that a command was given. */
export interface GivenTools {
  /** The tools of the module. */
  readonly registry: ToolRegistry;
  /** Servers that are not connected yet. */
  readonly servers: readonly McpServer[];
  /** With which client ids a person logs in to servers, by their names. */
  readonly clientIds: ReadonlyMap<string, string>;
}

/** Reads the files that the options name. @throws UsageError with what is wrong with one of them. */
export async function readGivenTools({ tools, mcp }: ToolOptions): Promise<GivenTools> {
  const none = { servers: [], clientIds: new Map<string, string>() };
  const file = mcp === undefined ? none : await readServersFile(mcp);
  return { ...file, registry: tools === undefined ? new ToolRegistry() : await loadTools(tools) };
}
