import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { SandboxExecutorOptions } from '../../../src/sessions/options/executor-options.ts';
import type { Session } from '../../../src/sessions/executor.ts';
import type { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { SessionManager } from '../../../src/sessions/session-manager.ts';
import { sessionIdOf } from '../../../src/sessions/session/shared-session.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { isNameHeld } from '../../../src/shared/held-names/held-name.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { useExecutors } from '../support.ts';

const make = useExecutors();
const HELD = { code: 'SESSION_HELD', message: expect.stringContaining('sessionWaitMs') };
const LOOK = 'print(globals().get("kept"))';

/** An executor, and the reasons why its sessions were closed. */
function watched(options: SandboxExecutorOptions = {}): {
  readonly executor: SandboxExecutor;
  readonly reasons: string[];
} {
  const reasons: string[] = [];
  const { executor } = make({
    ...options,
    onExecutorEvent: (event) => {
      if (event.type === 'session-closed') reasons.push(event.reason);
    },
  });
  return { executor, reasons };
}

/** Has an executor wait for a key. Returns when the executor that has it was asked for it. */
async function askFor(
  key: string,
  executor: SandboxExecutor,
): Promise<{ readonly acquired: Promise<Session> }> {
  // Whoever is asked looks whether the session is used.
  const looks = vi.spyOn(SessionManager.prototype, 'isUsed');
  const acquired = executor.acquire({ sessionKey: key, sessionWaitMs: 100_000 });
  await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(0);
  looks.mockRestore();
  return { acquired };
}

describe('a key that nobody uses', () => {
  it('goes to the executor that asks for it, which starts afresh, and to the first again', async () => {
    const key = randomUUID();
    const id = sessionIdOf(key);
    const [one, two] = [watched(), watched()];
    const old = await one.executor.acquire({ sessionKey: key });
    await old.execute('kept = 1');
    await old.release();

    const session = await two.executor.acquire({ sessionKey: key });
    expect(session.isNew).toBe(true);
    expect(await session.execute(LOOK)).toMatchObject({ stdout: 'None\n' });
    expect(one.reasons).toEqual(['handed-over']);
    expect(one.executor.activeSessions).toEqual([]);
    await session.release();

    expect(await one.executor.execute(LOOK, { sessionKey: key })).toMatchObject({
      stdout: 'None\n',
    });
    expect(two.reasons).toEqual(['handed-over']);
    await one.executor.closeSession({ id });
    expect(await isNameHeld(`session/${id}`)).toBe(false);
  });

  it('goes to one of two executors that ask at once', async () => {
    const key = randomUUID();
    await make().executor.execute('kept = 1', { sessionKey: key });
    const asked = [make(), make()].map(async ({ executor }) =>
      executor.acquire({ sessionKey: key }),
    );
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: HELD }]);
  });

  it('is free if its session has expired, and the event says so', async () => {
    const key = randomUUID();
    const one = watched({ sessionIdleTimeoutMs: 300 });
    await one.executor.execute('kept = 1', { sessionKey: key });
    await expect
      .poll(async () => one.executor.sessionInfo({ id: sessionIdOf(key) }))
      .toBeUndefined();
    expect(await make().executor.execute(LOOK, { sessionKey: key })).toMatchObject({
      stdout: 'None\n',
    });
    expect(one.reasons).toEqual(['expired']);
  });

  it('can have its session ended by another executor', async () => {
    const key = randomUUID();
    const one = watched();
    const session = await one.executor.acquire({ sessionKey: key });
    const two = make().executor;
    await expect(two.closeSession({ key })).rejects.toMatchObject(HELD);
    expect(await session.execute('print("unharmed")')).toMatchObject({ stdout: 'unharmed\n' });
    await session.release();
    await two.closeSession({ key });
    expect(one.reasons).toEqual(['handed-over']);
    expect(await isNameHeld(`session/${session.id}`)).toBe(false);
  });
});

describe('a key that someone uses', () => {
  it('stays until its session is released, with its state, and then goes to who waits', async () => {
    const key = randomUUID();
    const [one, two] = [watched(), make().executor];
    const session = await one.executor.acquire({ sessionKey: key });
    await session.execute('kept = 1');
    await expect(two.acquire({ sessionKey: key })).rejects.toMatchObject(HELD);
    await expect(two.acquire({ sessionKey: key, sessionWaitMs: 20 })).rejects.toMatchObject(HELD);
    const waiting = await askFor(key, two);
    expect(await session.execute(LOOK)).toMatchObject({ stdout: '1\n' });
    expect(one.reasons).toEqual([]);
    await session.release();
    expect((await waiting.acquired).isNew).toBe(true);
    expect(one.reasons).toEqual(['handed-over']);
  });

  it('has an error that names what its holder advertises, also after a wait', async () => {
    const key = randomUUID();
    const advertise = 'http://10.0.0.7:8080/?name=\u00fc';
    const [one, two] = [make({ advertise }).executor, make().executor];
    const session = await one.acquire({ sessionKey: key });
    const held = {
      code: 'SESSION_HELD',
      message: expect.stringContaining(`executor (${advertise}) uses`),
      details: { key, sessionId: session.id, holder: advertise },
    };
    await expect(two.acquire({ sessionKey: key })).rejects.toMatchObject(held);
    const waiting = two.execute('1', { sessionKey: key, sessionWaitMs: 20 });
    await expect(waiting).rejects.toMatchObject(held);
    await expect(two.closeSession({ key })).rejects.toMatchObject(held);
    await session.destroy();
  });

  it.each(['', 'a\nb', '\u001b[2J', '\ud800', 'x'.repeat(501)])(
    'cannot be advertised with %j',
    (advertise) => {
      expect(() => make({ advertise })).toThrow(
        expect.objectContaining({
          code: 'OPTION_INVALID',
          details: { option: 'advertise', value: advertise },
        }),
      );
    },
  );

  it('stays until its program has ended, although its session was released', async () => {
    const key = randomUUID();
    const [called, gate] = [createDeferred<void>(), createDeferred<void>()];
    const run = async (): Promise<void> => {
      called.resolve();
      await gate.promise;
    };
    const tools = new ToolRegistry([{ name: 'pause', description: 'Waits.', run }]);
    const one = watched({ tools });
    const two = make().executor;
    const session = await one.executor.acquire({ sessionKey: key });
    const running = session.execute('await pause()\nprint("whole")');
    await called.promise;
    await session.release();
    await expect(two.acquire({ sessionKey: key })).rejects.toMatchObject(HELD);
    const waiting = await askFor(key, two);
    gate.resolve();
    expect(await running).toMatchObject({ stdout: 'whole\n' });
    expect((await waiting.acquired).isNew).toBe(true);
    expect(one.reasons).toEqual(['handed-over']);
  });

  it('has its session destroyed and not handed over if its user says so while another waits', async () => {
    const key = randomUUID();
    const [one, two] = [watched(), make().executor];
    const session = await one.executor.acquire({ sessionKey: key });
    const waiting = await askFor(key, two);
    await session.destroy();
    expect(one.reasons).toEqual(['closed']);
    expect((await waiting.acquired).isNew).toBe(true);
  });
});
