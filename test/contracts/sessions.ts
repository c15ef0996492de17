import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../src/shared/deferred.ts';
import { useBench, type Subject } from './subject.ts';

/** Sessions: their lives, their ids, their order. */
export function describeSessions(subject: Subject): void {
  describe('sessions', () => {
    let entered = createDeferred<void>();
    let gate = createDeferred<void>();
    const bench = useBench(subject, {
      toolList: [
        {
          name: 'wait_at_gate',
          description: 'Waits until the test opens the gate.',
          run: async () => {
            entered.resolve();
            await gate.promise;
            return 'through';
          },
        },
      ],
    });
    const reset = (): void => {
      entered = createDeferred();
      gate = createDeferred();
    };

    it.each([
      ['succeeds', 'x = 1', 'ok'],
      ['fails', '1 / 0', 'error'],
      ['runs out of time', 'while True: pass', 'timeout'],
    ])('a run without a session that %s leaves nothing behind', async (_, code, status) => {
      const before = bench.provider.open.size;
      const result = await bench.runOnce(code, { timeoutMs: status === 'timeout' ? 300 : 30_000 });
      expect(result.status).toBe(status);
      expect(bench.provider.open.size).toBe(before);
      expect(bench.executor.getSession(result.sessionId)).toBeUndefined();
      expect(await bench.runOnce('print("x" in globals())')).toMatchObject({ stdout: 'False\n' });
    });

    it('a session is kept, found, listed, counted and closed', async () => {
      const session = await bench.open();
      await session.execute('kept = 1');
      expect(await session.execute('print(kept)')).toMatchObject({
        sessionId: session.id,
        stdout: '1\n',
        sessionOpen: true,
      });
      const info = bench.executor.getSession(session.id);
      expect(info).toMatchObject({
        id: session.id,
        state: 'idle',
        provider: bench.provider.name,
        runs: 2,
        toolCalls: 0,
      });
      expect(bench.executor.activeSessions).toContainEqual(info);
      expect(info?.expiresAtMs).toBe((info?.lastUsedAtMs ?? 0) + 270_000);
      expect(await bench.executor.closeSession(session.id)).toBe(true);
      expect(await bench.executor.closeSession(session.id)).toBe(false);
      expect(bench.executor.getSession(session.id)).toBeUndefined();
      expect(bench.provider.open.has(session.id)).toBe(false);
    });

    it('two sessions know nothing of one another', async () => {
      const [one, two] = await Promise.all([bench.open(), bench.open()]);
      await one.execute('mine = 1');
      expect(await two.execute('print("mine" in globals())')).toMatchObject({
        stdout: 'False\n',
      });
      await Promise.all([one.release(), two.release()]);
    });

    it('a session that somebody closed is an error that says so, and its key gets a new one', async () => {
      const key = `contract-${randomUUID()}`;
      const closed = await bench.executor.acquire({ key });
      await closed.execute('kept = 1');
      await bench.executor.closeSession(closed.id);
      await expect(closed.execute('1')).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
        message: expect.stringContaining(closed.id),
        details: { reason: 'closed' },
      });
      const next = await bench.executor.acquire({ key });
      expect(next).toMatchObject({ id: closed.id, key, isNew: true });
      expect(await next.execute('print("kept" in globals())')).toMatchObject({
        stdout: 'False\n',
        sessionOpen: true,
      });
      await next.destroy();
      await expect(next.execute('1')).rejects.toMatchObject({ code: 'CLOSED' });
    });

    it('a session without a key ends with its release', async () => {
      const session = await bench.open();
      expect(session).toMatchObject({ key: undefined, isNew: true });
      await session.execute('1');
      expect(bench.provider.open.has(session.id)).toBe(true);
      await session.release();
      expect(bench.provider.open.has(session.id)).toBe(false);
      await expect(session.execute('1')).rejects.toMatchObject({ code: 'CLOSED' });
    });

    it('runs of one session queue in their order', async () => {
      const session = await bench.open();
      const order: number[] = [];
      const outputs = await Promise.all(
        Array.from({ length: 6 }, async (_, i) => {
          const code = i === 0 ? 'seen = [0]' : `seen.append(${i})\nprint(seen)`;
          const { stdout } = await session.execute(code);
          order.push(i);
          return stdout;
        }),
      );
      expect(outputs.at(-1)).toBe('[0, 1, 2, 3, 4, 5]\n');
      expect(order).toEqual([0, 1, 2, 3, 4, 5]);
      await session.destroy();
    });

    it('a run that waits its turn can be aborted, and the others run', async () => {
      reset();
      const session = await bench.open();
      const first = session.execute('print(await wait_at_gate())');
      await entered.promise;
      expect(bench.executor.getSession(session.id)?.state).toBe('busy');
      const controller = new AbortController();
      const second = session.execute('print("never")', {
        signal: controller.signal,
      });
      const third = session.execute('print("third")');
      controller.abort();
      gate.resolve();
      await expect(second).rejects.toMatchObject({ code: 'ABORTED' });
      expect((await first).stdout).toBe('through\n');
      expect((await third).stdout).toBe('third\n');
      await session.destroy();
    });

    it('closing a session ends the run in it and refuses those that wait', async () => {
      reset();
      const session = await bench.open();
      const printed = createDeferred<void>();
      const running = session.execute('print("so far")\nawait wait_at_gate()', {
        onEvent: ({ type }) => {
          if (type === 'output') printed.resolve();
        },
      });
      await Promise.all([entered.promise, printed.promise]);
      const waiting = session.execute('print("never")');
      const refusal = waiting.catch((error: unknown) => error);
      await bench.executor.closeSession(session.id);
      expect(await running).toMatchObject({
        status: 'cancelled',
        stdout: 'so far\n',
        sessionOpen: false,
      });
      expect(await refusal).toMatchObject({ code: 'CLOSED' });
      expect(bench.provider.open.has(session.id)).toBe(false);
    });

    it('runs that start at once, without a session yet, each get one', async () => {
      const results = await Promise.all(
        Array.from({ length: 3 }, async (_, i) => bench.runOnce(`value = ${i}\nprint(value)`)),
      );
      expect(results.map(({ stdout }) => stdout)).toEqual(['0\n', '1\n', '2\n']);
      expect(new Set(results.map(({ sessionId }) => sessionId)).size).toBe(3);
    });

    it('closing all sessions leaves none, and the executor usable', async () => {
      await Promise.all([bench.open(), bench.open()]);
      await bench.executor.closeAllSessions();
      expect(bench.executor.activeSessions).toEqual([]);
      expect(bench.provider.open.size).toBe(0);
      expect(await bench.runOnce('print("usable")')).toMatchObject({ stdout: 'usable\n' });
    });
  });
}
