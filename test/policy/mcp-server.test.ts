import { messageOf } from '../../src/shared/errors.ts';
import type { Way, WayParts } from '../../src/testing/policy/way.ts';
import { connectUntilLeft, newClient, textOf } from '../mcp/server/support.ts';
import { describeWay, executorOf } from './describe-way.ts';

const ERA = '2026-07-28';

/** A function that calls a tool of the server with the official client. */
async function clientOf(
  parts: WayParts,
): Promise<(name: string, input: object) => Promise<string>> {
  const { labels, policy } = parts;
  const options = { executor: executorOf(parts), policy, labels };
  const { client, leave, served } = await connectUntilLeft(options, newClient(ERA));
  parts.onClose(async () => leave().then(async () => served));
  return async (name, input) =>
    client.callTool({ name, arguments: { ...input } }).then(textOf, messageOf);
}

const way: Way = {
  name: 'a client of our MCP server',
  // The user of the client would be asked.
  withoutApprover: /^Rejected: .*does not support elicitation/,
  open: async (parts) => ({ call: await clientOf(parts) }),
};

describeWay(way);

describeWay({
  ...way,
  name: 'a program of a client of our MCP server',
  language: 'python',
  open: async (parts) => {
    const call = await clientOf(parts);
    return { run: async (code) => call('execute_code', { code }) };
  },
});
