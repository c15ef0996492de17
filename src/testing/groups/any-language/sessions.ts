import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createDeferred } from '../../../shared/async/deferred.ts';
import { assertMatches } from '../../assert-matches.ts';
import { beforeEnd } from '../../before-end.ts';
import { checkResult } from '../../check-result.ts';
import type { TestGroup } from '../../test-definition.ts';
import { createToolbox } from '../../toolbox.ts';

/** The result of `showStateBeforeError` in the session of `stateBeforeError`. */
const STATE = { status: 'ok', stdout: '7\n' } as const;
/** In any other session. */
const NO_STATE = { status: 'error', stdout: '' } as const;

/** How sessions begin and end, and the order of the programs in one. */
export function sessions(): TestGroup {
  const toolbox = createToolbox();
  return {
    name: 'sessions',
    options: { tools: toolbox.tools },
    tests: [
      {
        title: 'a program without a session leaves nothing behind',
        programs: ['hello'],
        run: async (bench, hello) => {
          const result = await bench.runOnce(hello);
          checkResult(result, { status: 'ok', stdout: 'hello\n' });
          assert.equal(await bench.executor.sessionInfo({ id: result.sessionId }), undefined);
          assert.equal(bench.provider.open.has(result.sessionId), false);
        },
      },
      {
        title: 'a program that fails without a session leaves nothing behind',
        programs: ['runtimeError'],
        run: async (bench, failing) => {
          const result = await bench.runOnce(failing);
          checkResult(result, { status: 'error' });
          assert.equal(bench.provider.open.has(result.sessionId), false);
        },
      },
      {
        title: 'a program that is stopped without a session leaves nothing behind',
        programs: ['sleep'],
        run: async (bench, sleeping) => {
          const result = await bench.runOnce(sleeping, { timeoutMs: 300 });
          assert.equal(result.status, 'timeout', JSON.stringify(result));
          assert.equal(await bench.executor.sessionInfo({ id: result.sessionId }), undefined);
          assert.equal(bench.provider.open.has(result.sessionId), false);
        },
      },
      {
        title: 'a session is kept, found, listed, counted and closed',
        programs: ['stateBeforeError', 'showStateBeforeError'],
        run: async (bench, setting, showing) => {
          const { executor } = bench;
          const session = await bench.open();
          await session.execute(setting.code);
          const shown = await session.execute(showing.code);
          checkResult(shown, STATE);
          const info = await executor.sessionInfo({ id: session.id });
          assert.equal(shown.sessionId, session.id);
          assert.equal(shown.sessionOpen, true);
          assertMatches(info, {
            id: session.id,
            state: 'idle',
            provider: bench.provider.name,
            programs: 2,
            toolCalls: 0,
            expiresAtMs: Number(info?.lastUsedAtMs) + 270_000,
          });
          assert.deepEqual(
            executor.activeSessions.filter(({ id }) => id === session.id),
            [{ ...info, memoryBytes: undefined }],
          );
          await executor.closeSession({ id: session.id });
          await executor.closeSession({ id: session.id });
          assert.equal(await executor.sessionInfo({ id: session.id }), undefined);
          assert.equal(bench.provider.open.has(session.id), false);
        },
      },
      {
        title: 'two sessions know nothing of one another',
        programs: ['stateBeforeError', 'showStateBeforeError'],
        run: async (bench, setting, showing) => {
          const [one, two] = await Promise.all([bench.open(), bench.open()]);
          await one.execute(setting.code);
          checkResult(await one.execute(showing.code), STATE);
          checkResult(await two.execute(showing.code), NO_STATE);
          await Promise.all([one, two].map(async (session) => session.release()));
        },
      },
      {
        title:
          'a session that somebody closed is an error that says so, and its key gets a new one',
        programs: ['stateBeforeError', 'showStateBeforeError', 'hello'],
        run: async (bench, setting, showing, hello) => {
          const key = `contract-${randomUUID()}`;
          const closed = await bench.executor.acquire({ sessionKey: key });
          await closed.execute(setting.code);
          checkResult(await closed.execute(showing.code), STATE);
          await bench.executor.closeSession({ id: closed.id });
          const failure = await closed.execute(hello.code).catch((error: unknown) => error);
          const details = { reason: 'closed' };
          assertMatches(failure, { code: 'SESSION_NOT_FOUND', message: /./, details });
          assert.ok(String(failure).includes(closed.id), String(failure));
          const renewed = await bench.executor.acquire({ sessionKey: key });
          assertMatches(renewed, { id: closed.id, key, isNew: true });
          checkResult(await renewed.execute(showing.code), NO_STATE);
          checkResult(await renewed.execute(hello.code), { status: 'ok', stdout: 'hello\n' });
          await renewed.destroy();
          await assert.rejects(renewed.execute(hello.code), { code: 'CLOSED' });
        },
      },
      {
        title: 'a session without a key ends with its release',
        programs: ['hello'],
        run: async (bench, hello) => {
          const session = await bench.open();
          assertMatches(session, { key: undefined, isNew: true });
          checkResult(await session.execute(hello.code), { status: 'ok', stdout: 'hello\n' });
          assert.equal(bench.provider.open.has(session.id), true);
          await session.release();
          assert.equal(bench.provider.open.has(session.id), false);
          await assert.rejects(session.execute(hello.code), { code: 'CLOSED' });
        },
      },
      {
        title: 'programs of one session run in their order',
        programs: ['waitForTool', 'hello'],
        run: async (bench, waiting, hello) => {
          const session = await bench.open();
          const controller = new AbortController();
          const called = toolbox.nextWait();
          const order: string[] = [];
          const run = async (name: string, code: string, signal?: AbortSignal): Promise<void> => {
            await session.execute(code, { ...(signal && { signal }) });
            order.push(name);
          };
          const first = run('first', waiting.code, controller.signal);
          await Promise.race([called, first]);
          const rest = ['second', 'third', 'fourth'].map(async (name) => run(name, hello.code));
          assert.equal((await bench.executor.sessionInfo({ id: session.id }))?.state, 'busy');
          controller.abort();
          await Promise.all([first, ...rest]);
          assert.deepEqual(order, ['first', 'second', 'third', 'fourth']);
          await session.destroy();
        },
      },
      {
        title: 'a program that waits for its turn can be aborted, and the others run',
        programs: ['waitForTool', 'hello'],
        run: async (bench, waiting, hello) => {
          const session = await bench.open();
          const [stopFirst, stopSecond] = [new AbortController(), new AbortController()];
          const called = toolbox.nextWait();
          const first = session.execute(waiting.code, { signal: stopFirst.signal });
          await beforeEnd('it called the tool', called, first);
          const second = session.execute(hello.code, { signal: stopSecond.signal });
          const third = session.execute(hello.code);
          stopSecond.abort();
          stopFirst.abort();
          await assert.rejects(second, { code: 'ABORTED' });
          assert.equal((await first).status, 'cancelled');
          checkResult(await third, { status: 'ok', stdout: 'hello\n' });
          await session.destroy();
        },
      },
      {
        title: 'closing a session ends the program in it and refuses those that wait',
        programs: ['waitForTool', 'hello'],
        run: async (bench, waiting, hello) => {
          const session = await bench.open();
          const printed = createDeferred<void>();
          const called = toolbox.nextWait();
          const running = session.execute(waiting.code, {
            onEvent: ({ type }) => {
              if (type === 'output-delta') printed.resolve();
            },
          });
          const waits = Promise.all([called, printed.promise]);
          await beforeEnd('it printed and called the tool', waits, running);
          const refusal = session.execute(hello.code).catch((error: unknown) => error);
          await bench.executor.closeSession({ id: session.id });
          assertMatches(await refusal, { code: 'CLOSED' });
          checkResult(await running, {
            status: 'cancelled',
            stdout: 'so far\n',
            sessionOpen: false,
          });
          assert.equal(bench.provider.open.has(session.id), false);
        },
      },
      {
        title: 'programs that start at once, without a session, each get one',
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
        title: 'closing all sessions leaves none, and the executor usable',
        programs: ['hello'],
        run: async (bench, hello) => {
          const { executor, provider } = bench;
          await Promise.all([bench.open(), bench.open()]);
          const ids = executor.activeSessions.map(({ id }) => id);
          assert.ok(ids.length >= 2);
          await executor.closeAllSessions();
          assert.deepEqual(executor.activeSessions, []);
          assert.ok(!ids.some((id) => provider.open.has(id)));
          checkResult(await bench.runOnce(hello), { status: 'ok', stdout: 'hello\n' });
        },
      },
      {
        title: 'the session of a key keeps its state until it is reset',
        programs: ['stateBeforeError', 'showStateBeforeError', 'hello'],
        run: async (bench, setting, showing, hello) => {
          // One process of the machine at a time holds the session of a key.
          const key = `contract-${randomUUID()}`;
          const first = await bench.executor.acquire({ sessionKey: key });
          assert.equal(first.isNew, true);
          await first.execute(setting.code);
          await first.release();
          const again = await bench.executor.acquire({ sessionKey: key });
          assert.equal(again.isNew, false);
          checkResult(await again.execute(showing.code), STATE);
          await again.reset();
          checkResult(await again.execute(showing.code), NO_STATE);
          checkResult(await again.execute(hello.code), { status: 'ok', stdout: 'hello\n' });
          await again.destroy();
        },
      },
    ],
  };
}
