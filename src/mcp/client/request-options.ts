import type { ToolContext } from '../../tools/tool.ts';
import type { McpRequestOptions } from './mcp-client.ts';

/** The limit of the tool applies first: the client's own must not end a call before it. */
const LONGEST_CALL_MS = 2 ** 31 - 1;

/** What the client gets with the requests that belong to the call of a tool. */
export function requestOptions(
  context: Pick<ToolContext, 'signal' | 'progress'>,
): McpRequestOptions {
  return {
    signal: context.signal,
    timeout: LONGEST_CALL_MS,
    // What else a report has is left out.
    onprogress: ({ progress, total, message }) => context.progress({ progress, total, message }),
  };
}
