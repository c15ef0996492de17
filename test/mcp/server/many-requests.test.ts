import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { mcpServer } from '../../../src/mcp/server/mcp-server.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { META } from './support.ts';

const TOKENS = ['first-token-of-the-test', 'second-token-of-the-test'] as const;

/** Asks for a stream of changes. @returns the request, and the status of its answer. */
async function listen(url: string, token: string): Promise<[ClientRequest, number | undefined]> {
  const sent = request(url, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
  });
  const params = { _meta: META, notifications: { toolsListChanged: true } };
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  // The end of the server breaks it off.
  response.on('error', () => {}).resume();
  return [sent, response.statusCode];
}

it('refuses more than 400 requests and streams of a caller at a time', async () => {
  // It starts no sandbox.
  const executor = new SandboxExecutor({ tools: new ToolRegistry() });
  const server = mcpServer({ executor });
  const { url } = await server.listen({ port: 0, tokens: TOKENS });
  onTestFinished(async () => {
    await server.close();
    await executor.close();
  });
  let last: ClientRequest | undefined;
  for (let opened = 0; opened < 400; opened++) {
    const [sent, status] = await listen(url, TOKENS[0]);
    expect(status).toBe(200);
    last = sent;
  }
  const statusOf = async (token: string): Promise<unknown> => (await listen(url, token))[1];
  expect(await statusOf(TOKENS[0])).toBe(429);
  expect(await statusOf(TOKENS[1])).toBe(200);
  last?.destroy();
  await expect.poll(async () => statusOf(TOKENS[0])).toBe(200);
});
