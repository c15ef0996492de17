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
      const sessionId = await bench.open();
      await bench.executor.execute('kept = 1', { sessionId });
      expect(await bench.executor.execute('print(kept)', { sessionId })).toMatchObject({
        sessionId,
        stdout: '1\n',
        sessionOpen: true,
      });
      const info = bench.executor.getSession(sessionId);
      expect(info).toMatchObject({
        id: sessionId,
        state: 'idle',
        provider: bench.provider.name,
        runs: 3,
        toolCalls: 0,
      });
      expect(bench.executor.activeSessions).toContainEqual(info);
      expect(info?.expiresAtMs).toBe((info?.lastUsedAtMs ?? 0) + 270_000);
      expect(await bench.executor.closeSession(sessionId)).toBe(true);
      expect(await bench.executor.closeSession(sessionId)).toBe(false);
      expect(bench.executor.getSession(sessionId)).toBeUndefined();
      expect(bench.provider.open.has(sessionId)).toBe(false);
    });

    it('two sessions know nothing of one another', async () => {
      const [one, two] = await Promise.all([bench.open(), bench.open()]);
      await bench.executor.execute('mine = 1', { sessionId: one });
      expect(
        await bench.executor.execute('print("mine" in globals())', { sessionId: two }),
      ).toMatchObject({
        stdout: 'False\n',
      });
      await Promise.all([bench.executor.closeSession(one), bench.executor.closeSession(two)]);
    });

    it('an unknown id is an error, unless a new session is asked for', async () => {
      await expect(bench.executor.execute('1', { sessionId: 'nobody' })).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
        message: expect.stringContaining('nobody'),
      });
      const result = await bench.executor.execute('print("new")', {
        sessionId: 'nobody',
        reuseSession: true,
      });
      expect(result).toMatchObject({ stdout: 'new\n', sessionOpen: true });
      expect(result.sessionId).not.toBe('nobody');
      await bench.executor.closeSession(result.sessionId);
    });

    it('runs of one session queue in their order', async () => {
      const sessionId = await bench.open();
      const order: number[] = [];
      const outputs = await Promise.all(
        Array.from({ length: 6 }, async (_, i) => {
          const code = i === 0 ? 'seen = [0]' : `seen.append(${i})\nprint(seen)`;
          const { stdout } = await bench.executor.execute(code, { sessionId });
          order.push(i);
          return stdout;
        }),
      );
      expect(outputs.at(-1)).toBe('[0, 1, 2, 3, 4, 5]\n');
      expect(order).toEqual([0, 1, 2, 3, 4, 5]);
      await bench.executor.closeSession(sessionId);
    });

    it('a run that waits its turn can be aborted, and the others run', async () => {
      reset();
      const sessionId = await bench.open();
      const first = bench.executor.execute('print(await wait_at_gate())', { sessionId });
      await entered.promise;
      expect(bench.executor.getSession(sessionId)?.state).toBe('busy');
      const controller = new AbortController();
      const second = bench.executor.execute('print("never")', {
        sessionId,
        signal: controller.signal,
      });
      const third = bench.executor.execute('print("third")', { sessionId });
      controller.abort();
      gate.resolve();
      await expect(second).rejects.toMatchObject({ code: 'ABORTED' });
      expect((await first).stdout).toBe('through\n');
      expect((await third).stdout).toBe('third\n');
      await bench.executor.closeSession(sessionId);
    });

    it('closing a session ends the run in it and refuses those that wait', async () => {
      reset();
      const sessionId = await bench.open();
      const printed = createDeferred<void>();
      const running = bench.executor.execute('print("so far")\nawait wait_at_gate()', {
        sessionId,
        onEvent: ({ type }) => {
          if (type === 'output') printed.resolve();
        },
      });
      await Promise.all([entered.promise, printed.promise]);
      const waiting = bench.executor.execute('print("never")', { sessionId });
      const refusal = waiting.catch((error: unknown) => error);
      await bench.executor.closeSession(sessionId);
      expect(await running).toMatchObject({
        status: 'cancelled',
        stdout: 'so far\n',
        sessionOpen: false,
      });
      expect(await refusal).toMatchObject({ code: 'CLOSED' });
      expect(bench.provider.open.has(sessionId)).toBe(false);
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
