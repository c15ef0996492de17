import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type Docker from 'dockerode';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { dockerProvider } from '../../src/providers/docker/docker-provider.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { sessionIdOf } from '../../src/sessions/session/shared-session.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { isNameHeld } from '../../src/shared/held-names/held-name.ts';
import { describeWithEngine } from '../support/engine.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { startTypeScript } from '../support/typescript-process.ts';

/** Prints once it can no longer be interrupted. */
const STUBBORN =
  'import time\nwhile True:\n    try:\n        print("on")\n        time.sleep(60)\n    except BaseException: pass';
const HOST = new URL('./persistent-host.ts', import.meta.url);

function make(options: SandboxExecutorOptions = {}): SandboxExecutor {
  const executor = new SandboxExecutor({ provider: 'docker', ...options });
  onTestFinished(() => executor.close());
  return executor;
}

/** Has another process run a program in the session of a key, and kills it when the program printed. */
async function leave(key: string, code: string): Promise<void> {
  const host = startTypeScript(HOST, key, code);
  onTestFinished(() => void host.kill('SIGKILL'));
  await once(host.stdout, 'data');
  host.kill('SIGKILL');
  await once(host, 'exit');
}

async function containersOf(docker: Docker, sessionId: string): Promise<string[]> {
  const label = [`sandboxed-ptc.session=${sessionId}`];
  const found = await docker.listContainers({ all: true, filters: { label } });
  return found.map(({ Id }) => Id);
}

describeWithEngine('a persistent session', (docker) => {
  it('outlives its host, and another process goes on with its state', async () => {
    const key = randomUUID();
    await leave(key, 'print("here")');
    const handle = await make().acquire({ sessionKey: key, persistent: true });
    expect(await handle.info()).toMatchObject({ persistent: true, resumed: 'idle', programs: 2 });
    expect(await containersOf(docker, handle.id)).toHaveLength(1);
    expect(await handle.execute('print(kept)')).toMatchObject({ stdout: '42\n', toolCalls: 0 });
    await handle.destroy();
    await expect.poll(async () => containersOf(docker, handle.id)).toEqual([]);
    const fresh = await make().acquire({ sessionKey: key, persistent: true });
    expect(await fresh.info()).toMatchObject({ resumed: undefined, programs: 0 });
    await fresh.destroy();
  });

  it('says that a program was under way when its host died, and has stopped it', async () => {
    const key = randomUUID();
    await leave(key, 'began = True\nprint("under way")\nimport time\nwhile True: time.sleep(60)');
    const handle = await make().acquire({ sessionKey: key, persistent: true });
    expect(await handle.info()).toMatchObject({
      resumed: 'interrupted',
      programs: 2,
      state: 'idle',
    });
    expect(await handle.execute('print(kept, began)')).toMatchObject({ stdout: '42 True\n' });
    await handle.destroy();
  });

  it('says so where the program that was under way did not stop, and begins anew', async () => {
    const key = randomUUID();
    await leave(key, STUBBORN);
    const executor = make();
    await expect(executor.acquire({ sessionKey: key, persistent: true })).rejects.toMatchObject({
      code: 'SANDBOX_LOST',
      message: expect.stringContaining('could not be taken over'),
    });
    const handle = await executor.acquire({ sessionKey: key, persistent: true });
    expect(await handle.execute('print("kept" in globals())')).toMatchObject({ stdout: 'False\n' });
    await handle.destroy();
  });

  it('whose sandbox does not answer is ended, and the error says so', async () => {
    const key = randomUUID();
    await leave(key, 'print("here")');
    const executor = make({ sandboxStartTimeoutMs: 500 });
    const id = await sleepingSandbox(docker, key);
    await expect(executor.acquire({ sessionKey: key, persistent: true })).rejects.toMatchObject({
      code: 'SANDBOX_LOST',
      cause: expect.objectContaining({ message: expect.stringContaining('500 ms') }),
    });
    await expect.poll(async () => containersOf(docker, id)).toEqual([]);
    expect(await isNameHeld(`session/${id}`)).toBe(false);
  });

  it('is left by an executor that closes, its program cancelled, and found by the next', async () => {
    const key = randomUUID();
    const first = make();
    const handle = await first.acquire({ sessionKey: key, persistent: true });
    await handle.execute('kept = 1');
    const printed = createDeferred<void>();
    const running = handle.execute('print("on")\nimport time\nwhile True: time.sleep(60)', {
      onEvent: () => printed.resolve(),
    });
    await printed.promise;
    const waiting = handle.execute('kept = 2');
    await Promise.all([
      expect(running).resolves.toMatchObject({ status: 'cancelled', sessionOpen: true }),
      expect(waiting).rejects.toMatchObject({ code: 'CLOSED' }),
      first.close(),
    ]);
    expect(await isNameHeld(`session/${handle.id}`)).toBe(false);
    const next = await make().acquire({ sessionKey: key, persistent: true });
    expect(await next.info()).toMatchObject({ resumed: 'idle' });
    expect(await next.execute('print(kept)')).toMatchObject({ stdout: '1\n' });
    await next.reset();
    expect(await next.execute('print("kept" in globals())')).toMatchObject({ stdout: 'False\n' });
    expect(await containersOf(docker, next.id)).toHaveLength(1);
    await next.destroy();
    await expect.poll(async () => containersOf(docker, next.id)).toEqual([]);
  });

  it('whose program does not stop when its executor closes is gone, and the next begins anew', async () => {
    const key = randomUUID();
    const first = make();
    const handle = await first.acquire({ sessionKey: key, persistent: true });
    const printed = createDeferred<void>();
    const running = handle.execute(STUBBORN, { onEvent: () => printed.resolve() });
    await printed.promise;
    await first.close();
    expect(await running).toMatchObject({
      status: 'cancelled',
      sessionOpen: false,
      error: {
        message: expect.stringContaining(
          'its session and variables are lost: the program did not stop',
        ),
      },
    });
    await expect.poll(async () => containersOf(docker, handle.id)).toEqual([]);
    const next = await make().acquire({ sessionKey: key, persistent: true });
    expect(await next.info()).toMatchObject({ resumed: undefined });
    await next.destroy();
  });

  it('tells its sandbox too when it is acquired again, so that both clocks begin anew', async () => {
    const provider = dockerProvider();
    onTestFinished(() => provider.close());
    const create = vi.spyOn(provider, 'create');
    const executor = make({ provider, sessionIdleTimeoutMs: 100_000 });
    const key = randomUUID();
    const handle = await executor.acquire({ sessionKey: key, persistent: true });
    await handle.execute('kept = 1');
    const sandbox = await create.mock.results[0]?.value;
    const send = vi.spyOn(sandbox.transport, 'send');
    await executor.acquire({ sessionKey: key });
    expect(send.mock.calls).toEqual([
      [{ kind: 'attach', attach_id: 'renewal', idle_limit_ms: 110_000 }],
    ]);
    expect(await handle.execute('print(kept)')).toMatchObject({ stdout: '1\n' });
    await handle.destroy();
  });

  it('is not evicted', async () => {
    const executor = make({ maxSandboxes: 1, whenFull: { action: 'evict', timeoutMs: 50 } });
    const handle = await executor.acquire({ sessionKey: randomUUID(), persistent: true });
    await handle.release();
    await expect(executor.execute('1')).rejects.toMatchObject({ code: 'SANDBOX_LIMIT' });
    expect(await containersOf(docker, handle.id)).toHaveLength(1);
    await executor.closeSession({ id: handle.id });
  });

  it('ends where it expires', async () => {
    const executor = make({ sessionIdleTimeoutMs: 500, cleanupIntervalMs: 20 });
    const handle = await executor.acquire({ sessionKey: randomUUID(), persistent: true });
    await handle.release();
    await expect.poll(async () => containersOf(docker, handle.id)).toEqual([]);
    expect(await executor.sessionInfo({ id: handle.id })).toBeUndefined();
  });
});

describe('a persistent session', () => {
  it('is refused where sandboxes end with their process', async () => {
    const executor = make({ provider: unisolatedLocalProvider() });
    await expect(executor.acquire({ sessionKey: 'key', persistent: true })).rejects.toMatchObject({
      code: 'PERSISTENCE_UNSUPPORTED',
      message: expect.stringContaining('Use Docker'),
    });
  });

  it('is refused under a key whose session is not persistent', async () => {
    const executor = make({ provider: unisolatedLocalProvider() });
    const key = randomUUID();
    const handle = await executor.acquire({ sessionKey: key });
    await expect(executor.acquire({ sessionKey: key, persistent: true })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
    expect(await handle.execute('print("unharmed")')).toMatchObject({ stdout: 'unharmed\n' });
  });
});

/** Stops the sandbox of a key from outside, and gives its session's id. */
async function sleepingSandbox(docker: Docker, key: string): Promise<string> {
  const sessionId = sessionIdOf(key);
  const [id = ''] = await containersOf(docker, sessionId);
  const { State } = await docker.getContainer(id).inspect();
  process.kill(State.Pid, 'SIGSTOP');
  return sessionId;
}
