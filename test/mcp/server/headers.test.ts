import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpServer } from '../../../src/mcp/server/mcp-server.ts';
import { useBench } from '../../support/bench.ts';
import { callRaw, connectHttp, ERA_NAMES, newClient, textOf } from './support.ts';

const TOKEN = 'token-of-the-only-caller';
const region = { type: 'string', 'x-mcp-header': 'Region' };
const bench = useBench({
  toolList: [
    {
      name: 'run',
      description: 'Runs in a region.',
      allowedCallers: ['direct'],
      inputSchema: { type: 'object', properties: { region } },
      run: (input: { region: string }) => `ran in ${input.region}`,
    },
  ],
});

async function listen(): Promise<string> {
  const server = mcpServer({ executor: bench.executor });
  onTestFinished(async () => server.close());
  return (await server.listen({ port: 0, tokens: [TOKEN] })).url;
}

describe('a tool whose schema names a header for an argument', () => {
  it.each<[string, Record<string, string>]>([
    ['is absent', {}],
    ['has another value', { 'mcp-param-region': 'eu' }],
  ])('does not run if the header %s', async (_what, headers) => {
    const call = { name: 'run', sent: '{"region":"us"}' };
    const { status, answer } = await callRaw(await listen(), TOKEN, call, headers);
    expect({ status, answer }).toMatchObject({ status: 400, answer: { error: { code: -32_020 } } });
  });

  it.each(ERA_NAMES)('runs for a client of the revision %s', async (era) => {
    const { client } = await connectHttp(await listen(), TOKEN, newClient(era));
    await client.listTools();
    const result = await client.callTool({ name: 'run', arguments: { region: 'us' } });
    expect(textOf(result)).toBe('"ran in us"');
  });
});
