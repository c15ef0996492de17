import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createDeferred } from '../../shared/deferred.ts';
import { checkResult } from '../check-result.ts';
import type { TestGroup } from '../test-definition.ts';
import { createToolbox } from './toolbox.ts';

/** Sessions: their lives, their ids, their order. */
export function sessions(): TestGroup {
  const toolbox = createToolbox();
  return {
    name: 'sessions',
    options: { tools: toolbox.tools },
    tests: [
      {
        title: 'a run without a session leaves nothing behind',
        programs: ['hello'],
        run: async (bench, hello) => {
          const result = await bench.runOnce(hello);
          checkResult(result, { status: 'ok', stdout: 'hello\n' });
          assert.equal(bench.executor.getSession(result.sessionId), undefined);
          assert.equal(bench.provider.open.has(result.sessionId), false);
        },
      },
      {
        title: 'a run that fails without a session leaves nothing behind',
        programs: ['runtimeError'],
        run: async (bench, failing) => {
          const result = await bench.runOnce(failing);
          checkResult(result, { status: 'error' });
          assert.equal(bench.provider.open.has(result.sessionId), false);
        },
      },
      {
        title: 'a session is kept, found, listed, counted and closed',
        programs: ['stateBeforeError', 'showStateBeforeError'],
        run: async (bench, setting, showing) => {
          const { executor } = bench;
          const sessionId = await bench.open();
          await executor.execute(setting.code, { sessionId });
          const shown = await executor.execute(showing.code, { sessionId });
          checkResult(shown, { status: 'ok', stdout: '7\n' });
          const info = executor.getSession(sessionId);
          assert.equal(info?.runs, 3);
          assert.equal(info.state, 'idle');
          assert.ok(executor.activeSessions.some(({ id }) => id === sessionId));
          assert.equal(await executor.closeSession(sessionId), true);
          assert.equal(await executor.closeSession(sessionId), false);
          assert.equal(bench.provider.open.has(sessionId), false);
        },
      },
      {
        title: 'two sessions know nothing of one another',
        programs: ['stateBeforeError', 'showStateBeforeError'],
        run: async (bench, setting, showing) => {
          const [one, two] = await Promise.all([bench.open(), bench.open()]);
          await bench.executor.execute(setting.code, { sessionId: one });
          const { stdout } = await bench.executor.execute(showing.code, { sessionId: two });
          assert.notEqual(stdout, '7\n');
          await Promise.all([one, two].map(async (id) => bench.executor.closeSession(id)));
        },
      },
      {
        title: 'an unknown id is an error, unless a new session is asked for',
        programs: ['hello'],
        run: async (bench, { code }) => {
          const { executor } = bench;
          await assert.rejects(executor.execute(code, { sessionId: 'nobody' }), {
            code: 'SESSION_NOT_FOUND',
          });
          const renewed = await executor.execute(code, { sessionId: 'nobody', reuseSession: true });
          checkResult(renewed, { status: 'ok', stdout: 'hello\n' });
          assert.notEqual(renewed.sessionId, 'nobody');
          await executor.closeSession(renewed.sessionId);
        },
      },
      {
        title: 'runs of one session queue in their order',
        programs: ['waitForTool', 'hello'],
        run: async (bench, waiting, hello) => {
          const sessionId = await bench.open();
          const controller = new AbortController();
          const called = toolbox.nextWait();
          const order: string[] = [];
          const run = async (name: string, code: string, signal?: AbortSignal): Promise<void> => {
            await bench.executor.execute(code, { sessionId, ...(signal && { signal }) });
            order.push(name);
          };
          const first = run('first', waiting.code, controller.signal);
          await Promise.race([called, first]);
          const rest = ['second', 'third', 'fourth'].map(async (name) => run(name, hello.code));
          assert.equal(bench.executor.getSession(sessionId)?.state, 'busy');
          controller.abort();
          await Promise.all([first, ...rest]);
          assert.deepEqual(order, ['first', 'second', 'third', 'fourth']);
          await bench.executor.closeSession(sessionId);
        },
      },
      {
        title: 'a run that waits its turn can be aborted, and the others run',
        programs: ['waitForTool', 'hello'],
        run: async (bench, waiting, hello) => {
          const sessionId = await bench.open();
          const [stopFirst, stopSecond] = [new AbortController(), new AbortController()];
          const called = toolbox.nextWait();
          const { executor } = bench;
          const first = executor.execute(waiting.code, { sessionId, signal: stopFirst.signal });
          await Promise.race([called, first]);
          const second = executor.execute(hello.code, { sessionId, signal: stopSecond.signal });
          const third = executor.execute(hello.code, { sessionId });
          stopSecond.abort();
          stopFirst.abort();
          await assert.rejects(second, { code: 'ABORTED' });
          assert.equal((await first).status, 'cancelled');
          checkResult(await third, { status: 'ok', stdout: 'hello\n' });
          await executor.closeSession(sessionId);
        },
      },
      {
        title: 'closing a session ends the run in it',
        programs: ['waitForTool'],
        run: async (bench, waiting) => {
          const sessionId = await bench.open();
          const printed = createDeferred<void>();
          const called = toolbox.nextWait();
          const running = bench.executor.execute(waiting.code, {
            sessionId,
            onEvent: ({ type }) => {
              if (type === 'output') printed.resolve();
            },
          });
          await Promise.race([called, running]);
          await printed.promise;
          await bench.executor.closeSession(sessionId);
          checkResult(await running, {
            status: 'cancelled',
            stdout: 'so far\n',
            sessionOpen: false,
          });
          assert.equal(bench.provider.open.has(sessionId), false);
        },
      },
      {
        title: 'runs that start at once, without a session, each get one',
        programs: ['hello'],
        run: async (bench, hello) => {
          const results = await Promise.all([1, 2, 3].map(async () => bench.runOnce(hello)));
          for (const result of results) {
            checkResult(result, { status: 'ok', stdout: 'hello\n' });
          }
          assert.equal(new Set(results.map(({ sessionId }) => sessionId)).size, 3);
        },
      },
      {
        title: 'the session of a key keeps its state until it is reset',
        programs: ['stateBeforeError', 'showStateBeforeError', 'hello'],
        run: async (bench, setting, showing, hello) => {
          // Of all processes of a machine, one at a time has the session of a key.
          const key = `contract-${randomUUID()}`;
          const first = await bench.executor.acquire(key);
          await first.execute(setting.code);
          await first.release();
          const again = await bench.executor.acquire(key);
          checkResult(await again.execute(showing.code), { status: 'ok', stdout: '7\n' });
          await again.reset();
          const { stdout } = await again.execute(showing.code);
          assert.notEqual(stdout, '7\n');
          checkResult(await again.execute(hello.code), { status: 'ok', stdout: 'hello\n' });
          await again.destroy();
        },
      },
    ],
  };
}
