import { randomUUID } from 'node:crypto';
import diagnostics from 'node:diagnostics_channel';
import { once, setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sessionIdOf } from '../../src/sessions/session/shared-session.ts';
import { Patience } from '../../src/shared/held-names/ask-holder.ts';
import { askForName, holdName, isNameHeld } from '../../src/shared/held-names/held-name.ts';
import { openNameDirectory } from '../../src/shared/held-names/name-directory.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { killLocalSandbox, unisolatedLocalProvider } from '../support/local-provider.ts';
import { NO_ROOT, skippedFor } from '../support/skipped.ts';
import { startTypeScript } from '../support/typescript-process.ts';
import { useExecutors } from './support.ts';

const SQUATTER = new URL('../shared/squat-names.ts', import.meta.url);
const HOLDER = new URL('./hold-session.ts', import.meta.url);
const make = useExecutors();

describe('a session with a key', () => {
  it('keeps its state from one acquire to the next, and no other key has it', async () => {
    const { executor, provider } = make();
    const [key, other] = [randomUUID(), randomUUID()];
    const first = await executor.acquire({ sessionKey: key });
    expect(first.id).toMatch(/^[0-9a-f]{32}$/);
    expect(await first.execute('kept = 1')).toMatchObject({ status: 'ok', sessionId: first.id });
    await first.release();
    const second = await executor.acquire({ sessionKey: key });
    expect(second.id).toBe(first.id);
    expect(await second.execute('print(kept)')).toMatchObject({ stdout: '1\n' });
    const stranger = await executor.acquire({ sessionKey: other });
    expect(stranger.id).not.toBe(first.id);
    expect(await stranger.execute('print("kept" in globals())')).toMatchObject({
      stdout: 'False\n',
    });
    expect(provider.created.size).toBe(2);
  });

  it('is opened once for all who acquire it at the same moment', async () => {
    const { executor, provider } = make();
    const key = randomUUID();
    const handles = await Promise.all(
      Array.from({ length: 5 }, () => executor.acquire({ sessionKey: key })),
    );
    expect(provider.created.size).toBe(1);
    await handles[0]?.execute('shared = 1');
    expect(await handles[4]?.execute('print(shared)')).toMatchObject({ stdout: '1\n' });
  });

  it('is opened for those who still want it where the first to ask gives up', async () => {
    const { executor, provider } = make();
    const key = randomUUID();
    const controller = new AbortController();
    const first = executor.acquire({ sessionKey: key, signal: controller.signal });
    const second = executor.acquire({ sessionKey: key });
    controller.abort();
    await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await (await second).execute('print("here")')).toMatchObject({ stdout: 'here\n' });
    expect(provider.created.size).toBe(1);
  });

  it('cannot be used through a handle that was released', async () => {
    const { executor } = make();
    let handle;
    {
      await using disposed = await executor.acquire({ sessionKey: randomUUID() });
      handle = disposed;
    }
    await handle.release();
    for (const use of [handle.execute('1'), handle.info(), handle.reset(), handle.destroy()]) {
      await expect(use).rejects.toMatchObject({
        code: 'CLOSED',
        message: expect.stringContaining('Acquire the key again'),
      });
    }
  });

  it('has a fresh sandbox under the same id after a reset, for every handle', async () => {
    const { executor, provider } = make();
    const key = randomUUID();
    const [one, two] = [
      await executor.acquire({ sessionKey: key }),
      await executor.acquire({ sessionKey: key }),
    ];
    await one.execute('kept = 1');
    const resetting = one.reset();
    const during = await two.execute('print("kept" in globals())');
    await resetting;
    expect(during).toMatchObject({ stdout: 'False\n', sessionId: one.id });
    expect(provider.created.size).toBe(2);
    expect(provider.open.size).toBe(1);
    expect(await isNameHeld(`session/${one.id}`)).toBe(true);
  });

  it('is gone with its sandbox when it is destroyed, and its key is free', async () => {
    const { executor, provider } = make();
    const key = randomUUID();
    const handle = await executor.acquire({ sessionKey: key });
    await handle.execute('kept = 1');
    await handle.destroy();
    expect(provider.open.size).toBe(0);
    expect(await executor.sessionInfo({ id: handle.id })).toBeUndefined();
    expect(await isNameHeld(`session/${handle.id}`)).toBe(false);
    const again = await executor.acquire({ sessionKey: key });
    expect(await again.execute('print("kept" in globals())')).toMatchObject({ stdout: 'False\n' });
  });

  it('whose sandbox died is replaced by the next acquire, and an old handle says so', async () => {
    const { executor, provider } = make();
    const key = randomUUID();
    const old = await executor.acquire({ sessionKey: key });
    await old.execute('kept = 1');
    const [sandbox] = provider.created.values();
    if (sandbox) await killLocalSandbox(sandbox);
    await expect.poll(async () => executor.sessionInfo({ id: old.id })).toBeUndefined();
    await expect(old.execute('1')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      details: { reason: 'sandbox-lost' },
    });
    const fresh = await executor.acquire({ sessionKey: key });
    expect(await fresh.execute('print("kept" in globals())')).toMatchObject({ stdout: 'False\n' });
    await expect(old.execute('1')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: expect.stringContaining('replaced'),
    });
  });

  it('tells its key, its state and the memory of its sandbox', async () => {
    const local = unisolatedLocalProvider();
    const { executor } = make({
      provider: {
        ...local,
        create: async (spec, options) =>
          Object.assign(await local.create(spec, options), { memoryUsage: async () => 12_345 }),
      },
    });
    const key = randomUUID();
    const handle = await executor.acquire({ sessionKey: key });
    await handle.execute('1');
    expect(await handle.info()).toMatchObject({
      id: handle.id,
      key,
      state: 'idle',
      programs: 1,
      memoryBytes: 12_345,
    });
    const whole = { key, memoryBytes: 12_345 };
    expect(await executor.sessionInfo({ id: handle.id })).toMatchObject(whole);
    expect(await executor.sessionInfo({ key })).toMatchObject(whole);
    expect(executor.activeSessions).toMatchObject([{ key, memoryBytes: undefined }]);
  });

  it('that its program ended says why when it is used again', async () => {
    const { executor } = make();
    const handle = await executor.acquire({ sessionKey: randomUUID() });
    const result = await handle.execute('import os\nos._exit(3)');
    expect(result.sessionOpen).toBe(false);
    await expect(handle.execute('1')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: expect.stringContaining('its interpreter or its sandbox ended'),
      details: { sessionId: handle.id, reason: 'sandbox-lost' },
    });
  });
});

describe('a key of a user of the machine', () => {
  it(
    'cannot be taken or reached by another user [host/name-owner]',
    skippedFor(NO_ROOT),
    async () => {
      const key = randomUUID();
      const squatter = startTypeScript({
        file: SQUATTER,
        args: ['0', await openNameDirectory(), `session/${sessionIdOf(key)}`],
        userId: 54_321,
      });
      onTestFinished(() => void squatter.kill('SIGKILL'));
      const [seen] = (await once(squatter.stdout, 'data')) as [Buffer];
      expect(JSON.parse(seen.toString())).toBe('EACCES');
      const { executor } = make();
      const handle = await executor.acquire({ sessionKey: key });
      expect(await handle.execute('print("mine")')).toMatchObject({ stdout: 'mine\n' });
    },
  );
});

describe('a key that another executor has', () => {
  it('is asked for at a bounded pace where its holder hangs up on whoever waits', async () => {
    const key = randomUUID();
    const name = `session/${sessionIdOf(key)}`;
    const holder = await holdName(name);
    onTestFinished(() => holder?.release());
    // As many as it lets wait: it hangs up on all others.
    const enough = new AbortController();
    setMaxListeners(0, enough.signal);
    onTestFinished(() => enough.abort());
    let refused = false;
    while (!refused) {
      const waiting = askForName(name, new Patience(Infinity), enough.signal).then(
        () => true,
        () => false,
      );
      refused = await Promise.race([waiting, delay(5, false)]);
    }
    const begun: number[] = [];
    const enoughSockets = createDeferred<void>();
    const count = (): void => {
      if (begun.push(performance.now()) === 31) enoughSockets.resolve();
    };
    diagnostics.subscribe('net.client.socket', count);
    onTestFinished(() => void diagnostics.unsubscribe('net.client.socket', count));
    const { executor } = make();
    const stop = new AbortController();
    const acquiring = executor.acquire({
      sessionKey: key,
      sessionWaitMs: 100_000,
      signal: stop.signal,
    });
    await Promise.all([
      expect(acquiring).rejects.toMatchObject({ code: 'ABORTED' }),
      enoughSockets.promise.then(() => stop.abort()),
    ]);
    // Each attempt takes up to three. The pauses between attempts become longer; without them, this takes 20 ms.
    expect((begun[30] ?? 0) - (begun[0] ?? 0)).toBeGreaterThan(500);
  });

  it('is refused while someone there uses it, unless one waits until it is free [host/held-names]', async () => {
    const [one, two] = [make().executor, make().executor];
    const key = randomUUID();
    const handle = await one.acquire({ sessionKey: key });
    const held = { code: 'SESSION_HELD', message: expect.stringContaining('sessionWaitMs') };
    await expect(two.acquire({ sessionKey: key })).rejects.toMatchObject(held);
    await expect(two.acquire({ sessionKey: key, sessionWaitMs: 20 })).rejects.toMatchObject(held);
    const waiting = two.acquire({ sessionKey: key, sessionWaitMs: 100_000 });
    await one.closeSession({ id: handle.id });
    expect(await (await waiting).execute('print("mine")')).toMatchObject({ stdout: 'mine\n' });
    await expect(one.acquire({ sessionKey: key })).rejects.toMatchObject(held);
  });

  it('is no longer waited for when the executor is closed or the caller gives up', async () => {
    const [one, two] = [make().executor, make().executor];
    const key = randomUUID();
    await one.acquire({ sessionKey: key });
    const controller = new AbortController();
    const given = two.acquire({
      sessionKey: key,
      sessionWaitMs: 100_000,
      signal: controller.signal,
    });
    const closed = two.acquire({ sessionKey: key, sessionWaitMs: 100_000 });
    const refusals = Promise.allSettled([given, closed]);
    controller.abort();
    await two.close();
    expect(await refusals).toMatchObject([
      { reason: { code: 'CLOSED' } },
      { reason: { code: 'CLOSED' } },
    ]);
  });

  it('goes to one of two processes that want it at once, and is free when that one is killed', async () => {
    const key = randomUUID();
    const directory = await mkdtemp(join(tmpdir(), 'sandboxed-ptc-acquire-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const children = [0, 1].map(() => startTypeScript(HOLDER, key, directory));
    const words = await Promise.all(
      children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()),
    );
    expect(words.toSorted()).toEqual(['SESSION_HELD', 'acquired']);
    const { executor } = make();
    await expect(executor.acquire({ sessionKey: key })).rejects.toMatchObject({
      code: 'SESSION_HELD',
    });
    const waiting = executor.acquire({ sessionKey: key, sessionWaitMs: 100_000 });
    const ended = Promise.all(children.map(async (child) => once(child, 'close')));
    for (const child of children) child.kill('SIGKILL');
    await ended;
    expect(await (await waiting).execute('print("taken over")')).toMatchObject({
      stdout: 'taken over\n',
    });
    // Two processes that load the source: long where the machine is busy.
  });
});
