import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { SandboxExecutorOptions } from '../../../src/sessions/options/executor-options.ts';
import type { SandboxProvider } from '../../../src/sandbox/sandbox.ts';
import type { ExecutorEvent } from '../../../src/sessions/executor-watch.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { sessionIdOf } from '../../../src/sessions/session/shared-session.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { isNameHeld } from '../../../src/shared/held-names/held-name.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { startTold } from '../../support/told-process.ts';
import { LosableKeys } from './losable-keys.ts';

const RUNNER = new URL('./run-programs.ts', import.meta.url);

function make(options: SandboxExecutorOptions = {}): SandboxExecutor {
  const executor = new SandboxExecutor({ provider: 'docker', ...options });
  onTestFinished(() => executor.close());
  return executor;
}

describeWithEngine('a persistent session', (docker) => {
  it('goes with its state from process to process as each asks for it, and one that is acquired stays', async () => {
    const key = randomUUID();
    const id = sessionIdOf(key);
    const other = await startTold(
      RUNNER,
      key,
      'docker',
      'kept += ["other"]; print(kept)',
      'print("not now")',
      'kept += ["other again"]; print(kept)',
    );
    const executor = make();
    const mine = { sessionKey: key, persistent: true };
    await executor.execute('kept = ["mine"]', mine);
    expect(await other.next()).toMatchObject({ stdout: "['mine', 'other']\n" });
    expect(await executor.sessionInfo({ id })).toBeUndefined();

    const session = await executor.acquire(mine);
    expect(session.acquired).toMatchObject({ resumed: 'idle', programs: 2 });
    expect(await session.execute('kept += ["mine again"]')).toMatchObject({ status: 'ok' });
    expect(await other.next()).toMatchObject({ code: 'SESSION_HELD' });
    await session.release();
    expect(await other.next()).toMatchObject({
      stdout: "['mine', 'other', 'mine again', 'other again']\n",
    });

    await executor.closeSession({ key, persistent: true });
    const label = [`sandboxed-ptc.session=${id}`];
    expect(await docker.listContainers({ all: true, filters: { label } })).toEqual([]);
    expect(await isNameHeld(`session/${id}`)).toBe(false);
  });

  it('loses no program of two executors that run one after another in it at the same time', async () => {
    const key = randomUUID();
    const wanted = { sessionKey: key, persistent: true, sessionWaitMs: 100_000 };
    const COUNT = 'count = globals().get("count", 0) + 1\nprint(count)';
    const counts: number[] = [];
    let handedOver = 0;
    const onExecutorEvent = (event: ExecutorEvent): void => {
      if (event.type === 'session-closed' && event.reason === 'handed-over') handedOver += 1;
    };
    const [one, two] = [make({ onExecutorEvent }), make({ onExecutorEvent })];
    const runSome = async (executor: SandboxExecutor): Promise<void> => {
      for (let run = 0; run < 6; run += 1) {
        counts.push(Number((await executor.execute(COUNT, wanted)).stdout));
      }
    };
    await Promise.all([runSome(one), runSome(two)]);
    expect(handedOver).toBeGreaterThan(0);
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    await one.closeSession({ key, persistent: true });
  });

  it('whose key another host took goes on there, and the first host drives nothing more', async () => {
    const wanted = { sessionKey: randomUUID(), persistent: true };
    const called = createDeferred<void>();
    const run = async (): Promise<void> => {
      called.resolve();
      await new Promise(() => {});
    };
    const tools = new ToolRegistry([{ name: 'pause', description: 'Waits.', run }]);
    const [mine, others] = [new LosableKeys(), new LosableKeys()];
    const withKeys = (keys: LosableKeys): SandboxProvider => {
      const provider = dockerProvider();
      onTestFinished(() => provider.close());
      return Object.assign(provider, { keys });
    };
    const closed = createDeferred<string>();
    const onExecutorEvent = (event: ExecutorEvent): void => {
      if (event.type === 'session-closed') closed.resolve(event.reason);
    };
    const one = make({ provider: withKeys(mine), tools, onExecutorEvent });
    const two = make({ provider: withKeys(others) });
    const running = one.execute('kept = 1\nawait pause()', wanted);
    await called.promise;
    // The first host does not stop its program: the sandbox outlives it, and the second host finds it running.
    mine.lose();
    expect(await running).toMatchObject({ status: 'sandbox-lost', sessionOpen: false });
    expect(await closed.promise).toBe('key-lost');
    const session = await two.acquire(wanted);
    expect(session.acquired.resumed).toBe('interrupted');
    expect(await session.execute('print(kept)')).toMatchObject({ stdout: '1\n' });
    await session.destroy();
  });
});
