import type { Client } from '@modelcontextprotocol/client';
import { isRecord } from '../../../shared/guards.ts';
import type { McpClient, McpResultCheck } from '../mcp-client.ts';

/**
 * A client that calls tools by plain requests. Its own `callTool` also sends arguments in headers and
 * checks output schemas, and has the check of the result fail once before each call, which takes a
 * fifth of the time that a call of a tool takes in the sandbox.
 * @param full - The check of a result that the package of the client exports.
 */
export function withPlainCalls(client: Client, full: McpResultCheck<unknown>): McpClient {
  const { validate, ...standard } = full['~standard'];
  const check: McpResultCheck<unknown> = {
    '~standard': {
      ...standard,
      validate: (value) => (isPlainText(value) ? { value } : validate(value)),
    },
  };
  return {
    request: client.request.bind(client),
    callTool: async (params, options) =>
      client.request({ method: 'tools/call', params }, check, options),
  };
}

/** Whether a result is nothing but one text, as most are. Then nothing else needs to be checked. */
function isPlainText(result: unknown): boolean {
  if (!isRecord(result)) return false;
  const { content, ...others } = result;
  if (!Array.isArray(content) || content.length !== 1 || Object.keys(others).length > 0) {
    return false;
  }
  const part: unknown = content[0];
  if (!isRecord(part)) return false;
  const { type, text } = part;
  return type === 'text' && typeof text === 'string' && Object.keys(part).length === 2;
}
