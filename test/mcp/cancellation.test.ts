import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { ERA_NAMES, ERAS } from './servers/http.ts';
import { callerOf, scriptedServer, scriptedTool } from './support.ts';

type Call = Awaited<ReturnType<typeof callerOf>>['call'];

/** A call whose program may end. */
function start(call: Call, tool: string) {
  const controller = new AbortController();
  const ended = call(tool, {}, { signal: controller.signal });
  return { ended, abort: () => controller.abort() };
}

describe.each(ERA_NAMES)('a call of a server of %s that is given up', (era) => {
  it('is cancelled at the server', async () => {
    const [asked, cancelled] = [createDeferred<undefined>(), createDeferred<undefined>()];
    const { url } = await ERAS[era](() => {
      const server = new McpServer({ name: 'slow', version: '1' });
      server.registerTool('wait', { inputSchema: z.object({}) }, async (_input, { mcpReq }) => {
        mcpReq.signal.addEventListener('abort', () => cancelled.resolve(undefined));
        asked.resolve(undefined);
        await cancelled.promise;
        return { content: [] };
      });
      return server;
    });
    const { call } = await callerOf({ name: 'slow', url });
    const waiting = start(call, 'wait');
    await asked.promise;
    waiting.abort();
    expect(await waiting.ended).toMatchObject({ type: 'Cancelled' });
    await cancelled.promise;
  });
});

describe('a call of a server that was started, and is given up', () => {
  /** A server of which some tools answer, and one of them with the tools whose calls were cancelled. */
  async function callScripted(): Promise<Call> {
    const tools = ['answers', 'first', 'second', 'cancelled'].map((name) => scriptedTool(name));
    const answers = { content: [{ type: 'text', text: 'done' }] };
    const results = { answers, first: 'silence', second: 'silence', cancelled: 'cancelled' };
    return (await callerOf(scriptedServer({ tools, results }))).call;
  }

  it('is cancelled at the server alone, whatever calls were made before it', async () => {
    const call = await callScripted();
    const before = start(call, 'answers');
    expect(await before.ended).toBe('done');
    const [first, second] = [start(call, 'first'), start(call, 'second')];
    before.abort();
    expect(await call('cancelled')).toEqual([]);
    first.abort();
    expect(await first.ended).toMatchObject({ type: 'Cancelled' });
    expect(await call('cancelled')).toEqual(['first']);
    const after = ['answers', 'answers', 'answers'].map(async (tool) => call(tool));
    expect(await Promise.all(after)).toEqual(['done', 'done', 'done']);
    second.abort();
    expect(await second.ended).toMatchObject({ type: 'Cancelled' });
    expect(await call('cancelled')).toEqual(['first', 'second']);
  });

  it('is cancelled too if the server does not answer within the time limit', async () => {
    const tools = ['first', 'cancelled'].map((name) => scriptedTool(name));
    const server = scriptedServer({ tools, results: { first: 'silence', cancelled: 'cancelled' } });
    const { call } = await callerOf({ ...server, timeoutMs: 3000, maxTimeoutMs: 3000 });
    expect(await call('first')).toMatchObject({ type: 'Timeout' });
    expect(await call('cancelled')).toEqual(['first']);
  });
});
