import { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { mcpTools } from '../../src/mcp/client/mcp-tools.ts';
import type { ToolProgress } from '../../src/tools/tool.ts';
import { ERA_NAMES, ERAS } from './servers/http.ts';
import { callerOf, scriptedServer, scriptedTool } from './support.ts';

function withProgress(): McpServer {
  const server = new McpServer({ name: 'copies', version: '1' });
  server.registerTool('copy', { inputSchema: z.object({}) }, async (_input, { mcpReq }) => {
    const { progressToken = 'none' } = mcpReq['_meta'] ?? {};
    for (const progress of [1, 2]) {
      const params = { progressToken, progress, total: 2, message: `File ${progress}` };
      await mcpReq.notify({ method: 'notifications/progress', params });
    }
    return { content: [{ type: 'text', text: 'copied' }] };
  });
  return server;
}

it.each(ERA_NAMES)('tells what a server of %s reports about a call', async (era) => {
  const { url } = await ERAS[era](withProgress);
  const told: ToolProgress[] = [];
  const { call } = await callerOf({ name: 'copies', url });
  expect(await call('copy', {}, { onProgress: (one) => told.push(one) })).toBe('copied');
  expect(told).toEqual([
    { progress: 1, total: 2, message: 'File 1' },
    { progress: 2, total: 2, message: 'File 2' },
  ]);
});

it('bounds the reports of a server, and ends a call that never does more', async () => {
  const told: ToolProgress[] = [];
  const server = scriptedServer({ tools: [scriptedTool('t')], results: { t: 'progress' } });
  const { call } = await callerOf({ ...server, timeoutMs: 2000, maxTimeoutMs: 2000 });
  expect(await call('t', {}, { onProgress: (one) => told.push(one) })).toMatchObject({
    type: 'Timeout',
    message: 'no answer within 2000 ms',
  });
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThan(100);
  expect(told[0]).toEqual({
    progress: 1,
    total: 2,
    message: expect.stringMatching(/^\\x1b\[2Jx+$/),
  });
  expect(told[0]?.message?.length).toBeLessThan(1010);
});

it('gives the tools of a server the time limits that were chosen', async () => {
  const { source } = await callerOf({
    ...scriptedServer({ tools: [scriptedTool('t')] }),
    resources: true,
    timeoutMs: 5000,
  });
  expect(source.tools()).toHaveLength(3);
  for (const tool of source.tools()) {
    expect(tool).toMatchObject({ timeoutMs: 5000, maxTimeoutMs: 50_000 });
  }
  await expect(
    mcpTools({ name: 'copies', url: 'http://127.0.0.1', timeoutMs: 10, maxTimeoutMs: 5 }),
  ).rejects.toMatchObject({ code: 'OPTION_INVALID' });
});
