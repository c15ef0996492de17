import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { mcpServer } from '../../../src/mcp/server/mcp-server.ts';
import { announceChanges } from '../../../src/mcp/server/tools/tool-changes.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { useBench } from '../../support/bench.ts';
import { connect, connectHttp, ERA_NAMES, newClient, type Era } from './support.ts';

const TOKEN = 'the-token-of-this-test';
const bench = useBench();

const direct = (name: string): { name: string; description: string; run: () => string } => ({
  name,
  description: 'Returns its name.',
  run: () => name,
  ...{ allowedCallers: ['direct'] },
});

/** A client that listens, and how often it was told of a change. */
function listeningClient(era: Era): { readonly client: Client; readonly told: () => number } {
  let told = 0;
  const onChanged = (): void => {
    told += 1;
  };
  const listChanged: ClientOptions['listChanged'] = {
    tools: { autoRefresh: false, debounceMs: 0, onChanged },
  };
  return { client: newClient(era, { listChanged }), told: () => told };
}

const names = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

/** Changes the tools until the client hears of it: it begins to listen some time after it has connected. */
async function changeUntil(tools: ToolRegistry, isHeard: () => boolean): Promise<void> {
  await expect
    .poll(() => {
      if (isHeard()) return true;
      if (!tools.remove('added')) tools.register(direct('added'));
      return isHeard();
    })
    .toBe(true);
}

describe.each(ERA_NAMES)('a client of the revision %s', (era) => {
  it('is told of tools that change, over two streams', async () => {
    const tools = new ToolRegistry([direct('first')]);
    const { client, told } = listeningClient(era);
    await connect(era, { executor: bench.executor, tools }, client);
    expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: true } });
    await changeUntil(tools, () => told() > 0);
    tools.register(direct('second'));
    const before = told();
    await expect.poll(told).toBeGreaterThan(before);
    expect(await names(client)).toContain('second');
  });

  it('is told of tools that change, by HTTP', async () => {
    const tools = new ToolRegistry([direct('first')]);
    const server = mcpServer({ executor: bench.executor, tools });
    onTestFinished(async () => server.close());
    const { url } = await server.listen({ port: 0, tokens: [TOKEN] });
    const { client, told } = listeningClient(era);
    await connectHttp(url, TOKEN, client);
    await changeUntil(tools, () => told() > 0);
    tools.register(direct('second'));
    const before = told();
    await expect.poll(told).toBeGreaterThan(before);
    expect(await names(client)).toContain('second');
  });

  it('is told that the tools do not change, if they are a list', async () => {
    const { client } = await connect(era, { executor: bench.executor, tools: [direct('first')] });
    expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: false } });
  });
});

it('announces changes that come together once, and later ones once a second at most', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const tools = new ToolRegistry();
  const announce = vi.fn<() => void>();
  const end = announceChanges(tools, announce);
  for (let at = 0; at < 50; at += 1) tools.register(direct(`at_once_${at}`));
  expect(announce).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(announce).toHaveBeenCalledTimes(1);
  for (let at = 0; at < 50; at += 1) {
    tools.register(direct(`later_${at}`));
    vi.advanceTimersByTime(100);
  }
  expect(announce.mock.calls.length).toBeLessThanOrEqual(6);
  vi.advanceTimersByTime(1000);
  const { length } = announce.mock.calls;
  vi.advanceTimersByTime(10_000);
  expect(announce).toHaveBeenCalledTimes(length);
  end();
  tools.register(direct('last'));
  vi.advanceTimersByTime(10_000);
  expect(announce).toHaveBeenCalledTimes(length);
});
