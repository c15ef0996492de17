import type { McpServer } from '../../mcp/client/mcp-server.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../tools/registry/registry.ts';
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
  /** The policy of the module. */
  readonly policy: PolicyOptions | undefined;
  /** Servers that are not connected yet. */
  readonly servers: readonly McpServer[];
  /** With which client ids a person logs in to servers, by their names. */
  readonly clientIds: ReadonlyMap<string, string>;
}

/** Reads the files that the options name. @throws UsageError with what is wrong with one of them. */
export async function readGivenTools({ tools, mcp }: ToolOptions): Promise<GivenTools> {
  const noServers = { servers: [], clientIds: new Map<string, string>() };
  const file = mcp === undefined ? noServers : await readServersFile(mcp);
  const none = { registry: new ToolRegistry(), policy: undefined };
  return { ...file, ...(tools === undefined ? none : await loadTools(tools)) };
}
