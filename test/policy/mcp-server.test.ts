import { messageOf } from '../../src/shared/errors.ts';
import type { PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import { connectUntilLeft, newClient, textOf } from '../mcp/server/support.ts';
import { describeWay, type Way } from './describe-way.ts';
import { LABELS, type Shop } from './shop.ts';

const ERA = '2026-07-28';

/** A function that calls a tool of the server with the official client. */
async function clientOf(
  shop: Shop,
  policy: PolicyOptions,
): Promise<(name: string, input: object) => Promise<string>> {
  const options = { executor: shop.executor(), policy, labels: LABELS };
  const { client, leave, served } = await connectUntilLeft(options, newClient(ERA));
  shop.closesLater({ close: async () => leave().then(async () => served) });
  return async (name, input) =>
    client.callTool({ name, arguments: { ...input } }).then(textOf, messageOf);
}

const ways: Way = {
  hasEvents: false,
  // The user of the client would be asked.
  withoutApprover: /^Rejected: .*does not support elicitation/,
  open: async (shop, policy) => ({ call: await clientOf(shop, policy) }),
};

describeWay('of a client of our MCP server', ways);

describeWay('of a program of a client of our MCP server', {
  ...ways,
  language: 'python',
  open: async (shop, policy) => {
    const call = await clientOf(shop, policy);
    return { run: async (code) => call('execute_code', { code }) };
  },
});
