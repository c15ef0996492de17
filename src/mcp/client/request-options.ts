import type { ToolContext } from '../../tools/tool.ts';
import type { McpRequestOptions } from './mcp-client.ts';

/** The limit of the tool applies first: the client's own must not end a call before it. */
const LONGEST_CALL_MS = 2 ** 31 - 1;

/** What the client gets with the requests that belong to the call of a tool. */
export function requestOptions({ signal }: ToolContext): McpRequestOptions {
  return { signal, timeout: LONGEST_CALL_MS };
}
