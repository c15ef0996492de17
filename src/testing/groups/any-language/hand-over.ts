import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { checkResult } from '../../check-result.ts';
import type { TestGroup } from '../../test-definition.ts';

/** Which of two executors has the session of a key. */
export function handOver(): TestGroup {
  return {
    name: 'hand-over',
    options: {},
    tests: [
      {
        title:
          'the key of a session that nobody uses goes to the executor that asks, without state',
        programs: ['stateBeforeError', 'showStateBeforeError'],
        run: async (bench, setting, showing) => {
          const key = `contract-${randomUUID()}`;
          const first = await bench.executor.acquire({ sessionKey: key });
          await first.execute(setting.code);
          const shown = { status: 'ok', stdout: '7\n' } as const;
          checkResult(await first.execute(showing.code), shown);
          await first.release();
          const second = await bench.another().acquire({ sessionKey: key });
          assert.equal(second.isNew, true);
          assert.equal(await first.closing, 'handed-over');
          checkResult(await second.execute(showing.code), { status: 'error', stdout: '' });
          await second.destroy();
        },
      },
      {
        title:
          'the key of a session in use stays, the error names who has it, and whoever waits gets it',
        programs: ['hello'],
        run: async (bench, hello) => {
          const key = `contract-${randomUUID()}`;
          const holder = 'http://first.example';
          const first = await bench.another({ advertise: holder }).acquire({ sessionKey: key });
          const { executor } = bench;
          const held = { code: 'SESSION_HELD', details: { key, sessionId: first.id, holder } };
          await assert.rejects(executor.acquire({ sessionKey: key }), held);
          const waits = { sessionKey: key, sessionWaitMs: 1 };
          await assert.rejects(executor.acquire(waits), held);
          const waiting = executor.execute(hello.code, { sessionKey: key, sessionWaitMs: 100_000 });
          checkResult(await first.execute(hello.code), { status: 'ok', stdout: 'hello\n' });
          await first.release();
          checkResult(await waiting, { status: 'ok', stdout: 'hello\n' });
          await executor.closeSession({ key });
        },
      },
      {
        title:
          'a persistent session goes with its state to the executor that asks, or cannot be had',
        programs: ['stateBeforeError', 'showStateBeforeError'],
        run: async (bench, setting, showing) => {
          const key = `contract-${randomUUID()}`;
          const wanted = { sessionKey: key, persistent: true };
          if (bench.provider.attach === undefined) {
            const unsupported = { code: 'PERSISTENCE_UNSUPPORTED' };
            return assert.rejects(bench.executor.acquire(wanted), unsupported);
          }
          await bench.executor.execute(setting.code, wanted);
          const second = await bench.another().acquire(wanted);
          assert.equal(second.acquired.resumed, 'idle');
          const shown = await second.execute(showing.code);
          await second.destroy();
          checkResult(shown, { status: 'ok', stdout: '7\n' });
        },
      },
    ],
  };
}
