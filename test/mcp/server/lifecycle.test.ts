import { describe, expect, it, onTestFinished } from 'vitest';
import { PtcError } from '../../../src/shared/errors.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { useBench } from '../../support/bench.ts';
import { connect, ERA_NAMES } from './support.ts';

/** Settled by the tools. */
let [started, ended] = [createDeferred<undefined>(), createDeferred<undefined>()];
const bench = useBench({
  toolList: [
    { name: 'step', description: 'Is called.', run: () => 1 },
    {
      name: 'wait',
      description: 'Waits until its call is aborted.',
      run: async (_input: unknown, { signal }: { signal: AbortSignal }) => {
        const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
        started.resolve(undefined);
        await aborted;
        ended.resolve(undefined);
      },
    },
  ],
});

const WAIT = { name: 'execute_code', arguments: { code: 'await wait()' } };

function resetTools(): void {
  [started, ended] = [createDeferred(), createDeferred()];
}

/** The sessions of the bench that are open. */
const openSessions = (): number => bench.executor.activeSessions.length;

describe.each(ERA_NAMES)('a connection of the revision %s', (era) => {
  it('tells a client that asks for progress of each tool call', async () => {
    const { client } = await connect(era, { executor: bench.executor });
    const told: unknown[] = [];
    const code = 'for _ in range(3): await step()';
    await client.callTool(
      { name: 'execute_code', arguments: { code } },
      { onprogress: ({ progress, message }) => void told.push([progress, message]) },
    );
    expect(told).toEqual([
      [1, 'step'],
      [2, 'step'],
      [3, 'step'],
    ]);
  });

  it('stops a program if its request is cancelled, and goes on', async () => {
    resetTools();
    const { client } = await connect(era, { executor: bench.executor });
    const cancel = new AbortController();
    const call = client.callTool(WAIT, { signal: cancel.signal }).catch(() => 'cut off');
    await started.promise;
    cancel.abort();
    expect(await call).toBe('cut off');
    await ended.promise;
    const next = { name: 'execute_code', arguments: { code: 'print(await step())' } };
    expect(await client.callTool(next)).toMatchObject({ content: [{ text: '1' }] });
  });

  it('ends with its programs and its session if the client leaves', async () => {
    resetTools();
    const { client, served, leave } = await connect(era, { executor: bench.executor });
    const call = client.callTool(WAIT).catch(() => 'cut off');
    await started.promise;
    expect(openSessions()).toBe(1);
    await leave();
    await served;
    await ended.promise;
    expect(openSessions()).toBe(0);
    expect(await call).toBe('cut off');
  });

  it('ends with its programs and its session if the server is closed', async () => {
    resetTools();
    const { client, server, served, leave } = await connect(era, { executor: bench.executor });
    const call = client.callTool(WAIT).catch(() => 'cut off');
    await started.promise;
    await server.close();
    await served;
    expect(openSessions()).toBe(0);
    await ended.promise;
    await leave();
    expect(await call).toBe('cut off');
    await expect(server.stdio()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('has an error of the protocol if the host fails, without its message', async () => {
    const executor = new SandboxExecutor({
      provider: {
        name: 'none',
        languages: ['python'],
        create: async () => {
          throw new PtcError('SANDBOX_START_FAILED', 'no /secret/path');
        },
        probe: async () => ({ usable: true, description: 'none' }),
        close: async () => {},
      },
    });
    onTestFinished(async () => executor.close());
    const errors: unknown[] = [];
    const { client } = await connect(era, {
      executor,
      onHostError: (error) => void errors.push(error),
    });
    const call = client.callTool({ name: 'execute_code', arguments: { code: '1' } });
    const error: unknown = await call.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: -32_603, data: { code: 'SANDBOX_START_FAILED' } });
    expect(String(error)).not.toContain('secret');
    expect(errors).toMatchObject([{ code: 'SANDBOX_START_FAILED' }]);
  });
});
