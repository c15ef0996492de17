import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { McpTools } from '../../src/mcp/client/mcp-tools.ts';
import { ERA_NAMES, ERAS, type StartedServer } from './servers/http.ts';
import { RawHttpServer } from './servers/raw-http.ts';
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

it('lists the tools of a server of 2026-07-28 again after its connections have ended', async () => {
  const server = await ERAS['2026-07-28'](serverOfOne);
  const { call, source } = await callerOf({ name: 'changing', url: server.url });
  const changed = new Promise<void>((resolve) => void source.onChange(resolve));
  // It does not announce it.
  server.change((one) => addTool(one, 'second'));
  server.cut();
  await changed;
  expect(names(source)).toEqual(['first', 'second']);
  server.change((one) => addTool(one, 'third'));
  await announceUntil(server, () => names(source).includes('third'));
  expect(await call('third')).toBe('third');
});

describe('a server of 2025-11-25 without sessions that starts again with other tools', () => {
  it('is listed again as soon as its stream is open again', async () => {
    const server = await RawHttpServer.start();
    const { source } = await callerOf({ name: 'raw', url: server.url });
    const changed = new Promise<void>((resolve) => void source.onChange(resolve));
    server.tools = { t: 'Does it.', more: 'Does more.' };
    await server.cutStreams();
    await changed;
    expect(names(source)).toEqual(['t', 'more']);
  });

  it('gets no call of a tool that is pinned and has changed', async () => {
    const server = await RawHttpServer.start();
    const { call, source } = await callerOf({ name: 'raw', url: server.url, pin: true });
    expect(await call('t')).toBe('done');
    server.tools = { t: 'Does something else.' };
    await server.cutStreams();
    await expect.poll(() => source.unaccepted().length).toBe(1);
    expect(await call('t')).toMatchObject({ type: 'Changed' });
  });

  it.each([503, 405])(
    'is connected again by a call if it refuses the stream with %i',
    async (status) => {
      const server = await RawHttpServer.start();
      const { call, source } = await callerOf({ name: 'raw', url: server.url });
      server.streamStatus = status;
      server.tools = { t: 'Does it.', more: 'Does more.' };
      await server.cutStreams();
      await expect
        .poll(async () => [await call('t'), names(source)])
        .toEqual(['done', ['t', 'more']]);
    },
  );
});
