import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpServer } from '../../../src/mcp/server/mcp-server.ts';
import type { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { useExecutors } from '../../sessions/support.ts';
import {
  connectHttp,
  ERA_NAMES,
  newClient,
  runCode,
  sessionOf,
  textOf,
  type Era,
} from './support.ts';

const makeExecutor = useExecutors();
const TOKEN = 'the-token-of-the-test';

interface Started {
  readonly client: Client;
  readonly executor: SandboxExecutor;
  /** Cancels a request for a program, in a session of its own or in the one with the handle. */
  readonly cancelOne: (session?: unknown) => Promise<void>;
}

async function start(era: Era): Promise<Started> {
  let started = createDeferred<undefined>();
  const wait = async (_input: unknown, { signal }: { signal: AbortSignal }): Promise<void> => {
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
    started.resolve(undefined);
    await aborted;
  };
  const tools = [{ name: 'wait', description: 'Waits until its call is aborted.', run: wait }];
  const { executor } = makeExecutor({ tools });
  const server = mcpServer({ executor });
  onTestFinished(async () => server.close());
  const { url } = await server.listen({ port: 0, tokens: [TOKEN] });
  const { client } = await connectHttp(url, TOKEN, newClient(era));
  const cancelOne = async (session?: unknown): Promise<void> => {
    started = createDeferred();
    const cancel = new AbortController();
    const input = { code: 'await wait()', ...(session !== undefined && { session }) };
    const call = client
      .callTool({ name: 'execute_code', arguments: input }, { signal: cancel.signal })
      .catch(() => 'cut off');
    await started.promise;
    cancel.abort();
    expect(await call).toBe('cut off');
  };
  return { client, executor, cancelOne };
}

describe.each(ERA_NAMES)('a session of a client of the revision %s, by HTTP', (era) => {
  it('ends if the request that began it is cancelled', async () => {
    const { executor, cancelOne } = await start(era);
    await cancelOne();
    await expect.poll(() => executor.stats()).toMatchObject({ busy: 0, idle: 0 });
  });

  it('stays if another request is cancelled', async () => {
    const { client, executor, cancelOne } = await start(era);
    const session = sessionOf(await runCode(client, 'x = 1'));
    await cancelOne(session);
    await expect.poll(() => executor.stats()).toMatchObject({ busy: 0, idle: 1 });
    expect(textOf(await runCode(client, 'print(x)', session))).toBe('1');
  });
});
