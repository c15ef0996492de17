import { invokeTool } from '../../src/calls/invoke-tool.ts';
import type { ToolInvocation } from '../../src/calls/tool-invocation.ts';
import type { ToolOutcome } from '../../src/calls/tool-outcome.ts';
import type { ToolDefinition } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { programCounter } from '../support/call-counter.ts';
import { callOrigin } from '../support/call-origin.ts';

/** Calls a tool from code, without arguments. */
export async function invoke(
  definition: Partial<ToolDefinition>,
  changes: Partial<ToolInvocation> = {},
): Promise<ToolOutcome> {
  const tools = new ToolRegistry([
    { name: 'tool', description: 'A tool.', run: () => null, ...definition },
  ]);
  return invokeTool(tools, {
    toolName: 'tool',
    arguments: {},
    caller: 'code',
    callId: 'call',
    counter: programCounter(),
    origin: callOrigin(),
    signal: new AbortController().signal,
    ...changes,
  });
}
