import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import type { McpListener } from '../../../src/mcp/server/http/listen.ts';
import { mcpServer, type McpCodeServer } from '../../../src/mcp/server/mcp-server.ts';
import { useBench } from '../../support/bench.ts';

const bench = useBench({ toolList: [] });

async function listenAndClose(server: McpCodeServer): Promise<WeakRef<McpListener>> {
  const listener = await server.listen({ port: 0, tokens: ['the-token-of-the-test'] });
  await listener.close();
  return new WeakRef(listener);
}

it('a server keeps nothing of a listener that was closed', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const server = mcpServer({ executor: bench.executor });
  onTestFinished(async () => server.close());
  const listener = await listenAndClose(server);
  await nextTurn();
  collect();
  expect(listener.deref()).toBeUndefined();
});
