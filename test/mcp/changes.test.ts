import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { McpTools } from '../../src/mcp/client/mcp-tools.ts';
import { ERA_NAMES, ERAS, type StartedServer } from './servers/http.ts';
import { callerOf } from './support.ts';

function addTool(server: McpServer, name: string): void {
  const content = [{ type: 'text' as const, text: name }];
  server.registerTool(name, { inputSchema: z.object({}) }, () => ({ content }));
}

function serverOfOne(): McpServer {
  const server = new McpServer({ name: 'changing', version: '1' });
  addTool(server, 'first');
  return server;
}

const names = (source: McpTools): readonly string[] => source.tools().map(({ name }) => name);

/** Announces until it is heard: a client of 2025 listens some time after it has connected. */
async function announceUntil(server: StartedServer, isHeard: () => boolean): Promise<void> {
  await expect
    .poll(() => {
      if (!isHeard()) server.announceTools();
      return isHeard();
    })
    .toBe(true);
}

describe.each(ERA_NAMES)('a server of %s whose tools change', (era) => {
  it('is followed', async () => {
    const server = await ERAS[era](serverOfOne);
    const { call, source } = await callerOf({ name: 'changing', url: server.url });
    expect(names(source)).toEqual(['first']);
    server.change((changed) => addTool(changed, 'second'));
    await announceUntil(server, () => names(source).includes('second'));
    expect(await call('second')).toBe('second');
  });

  it('is followed with a client of your own, if that tells the source', async () => {
    const server = await ERAS[era](serverOfOne);
    let refreshed: Promise<void> | undefined;
    const onChanged = (): void => {
      refreshed = source.refresh();
    };
    const client = new Client(
      { name: 'own', version: '1' },
      {
        versionNegotiation: { mode: 'auto' },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
      },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    onTestFinished(async () => client.close());
    const { call, source } = await callerOf({ name: 'changing', client });
    server.change((changed) => addTool(changed, 'second'));
    await announceUntil(server, () => refreshed !== undefined);
    await refreshed;
    expect(names(source)).toEqual(['first', 'second']);
    expect(await call('second')).toBe('second');
    await source.close();
    // It is yours.
    expect((await client.listTools()).tools).toHaveLength(2);
  });
});
