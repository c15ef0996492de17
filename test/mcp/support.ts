import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { invokeTool } from '../../src/calls/invoke-tool.ts';
import type { ToolInvocation } from '../../src/calls/tool-invocation.ts';
import { mcpTools, type McpTools } from '../../src/mcp/client/mcp-tools.ts';
import type { McpServer, McpStdioServer } from '../../src/mcp/client/mcp-server.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { programCounter } from '../support/call-counter.ts';
import { callOrigin } from '../support/call-origin.ts';

/** A tool as a server lists it, with members that may be wrong. */
export interface ScriptedTool {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** What the server `servers/scripted.mjs` does. */
export interface Script {
  readonly tools?: readonly ScriptedTool[];
  /**
   * The result of each tool, or `exit`, `silence`, `progress` (without end), `change`, `answers` (of
   * the client so far), `cancelled` (the tools of calls that the client has cancelled), `send` with messages in which
   * `"$id"` stands for the id of the call, or `ask` with a method, `params` and how many `times` the
   * client is asked.
   */
  readonly results?: Readonly<Record<string, unknown>>;
  /** What it sends before it answers to `tools/list` for the first time. */
  readonly early?: object;
  /** The tools that it lists the second time, or after `change`, which makes the file `flag`. */
  readonly laterTools?: readonly ScriptedTool[];
  readonly flag?: string;
  /** How often the tools are on each page, of which there is no last. */
  readonly copies?: number;
  readonly endless?: boolean;
  /** What it answers to `resources/list` and `resources/read`. */
  readonly resources?: object;
  readonly silent?: boolean;
  /** It ignores the end of its input and SIGTERM. */
  readonly stubborn?: boolean;
}

export function scriptedTool(name: string, more: object = {}): ScriptedTool {
  return { name, description: 'Does it.', inputSchema: { type: 'object' }, ...more };
}

export function scriptedServer(script: Script, name = 'scripted'): McpStdioServer {
  const path = fileURLToPath(new URL('./servers/scripted.mjs', import.meta.url));
  return { name, command: process.execPath, args: [path, JSON.stringify(script)] };
}

/** The tools of a server until the test is over. */
export async function toolsOf(server: McpServer): Promise<McpTools> {
  const source = await mcpTools(server);
  onTestFinished(async () => source.close());
  return source;
}

/** A function that calls tools of a server as a program would. It returns the result or the failure. */
export async function callerOf(server: McpServer): Promise<{
  readonly call: (
    tool: string,
    input?: object,
    more?: Partial<Pick<ToolInvocation, 'signal' | 'onProgress'>>,
  ) => Promise<unknown>;
  readonly source: McpTools;
}> {
  const source = await toolsOf(server);
  const registry = new ToolRegistry();
  registry.addSource(source);
  const call = async (
    tool: string,
    input: object = {},
    more: Partial<Pick<ToolInvocation, 'signal' | 'onProgress'>> = {},
  ): Promise<unknown> => {
    const outcome = await invokeTool(registry, {
      toolName: `${source.name}:${tool}`,
      arguments: input,
      callId: '1',
      caller: 'code',
      counter: programCounter(),
      origin: callOrigin(),
      signal: new AbortController().signal,
      ...more,
    });
    return outcome.ok ? (JSON.parse(outcome.result.text) as unknown) : outcome.failure;
  };
  return { call, source };
}

/** The warnings of the process with a code, from now on until the test is over. */
export function warningsOf(code: string): readonly string[] {
  const warnings: string[] = [];
  const note = (warning: Error & { readonly code?: string }): void => {
    if (warning.code === code) warnings.push(warning.message);
  };
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  return warnings;
}
