import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import type { Approval } from '../../../src/tools/policy/approval.ts';
import { uniqueKey } from '../../support/unique-key.ts';
import { useExecutors } from '../support.ts';
import { openShop, outcomes } from './shop.ts';

const makeExecutor = useExecutors();

describe('a call that was deferred', () => {
  it('is not made if its program fails, exits with a failure or ends its interpreter', async () => {
    const { options, happened } = openShop();
    const { executor } = makeExecutor(options);
    for (const [end, status] of [
      ['raise ValueError("no")', 'error'],
      ['import sys; sys.exit(3)', 'error'],
      ['import os; os._exit(0)', 'sandbox-lost'],
    ] as const) {
      const result = await executor.execute(`seen = await pay(amount=1)\n${end}`);
      expect(result.status).toBe(status);
      expect(outcomes(result)).toEqual(['1 not-made Cancelled']);
    }
    expect(happened).toEqual([]);
  });

  it('is not made if its program is stopped by its time limit, its caller or its session', async () => {
    const code = 'seen = await pay(amount=1)\nseen = await look()\nwhile True: pass';
    for (const [stop, status] of [
      ['time', 'timeout'],
      ['signal', 'cancelled'],
      ['session', 'cancelled'],
      ['executor', 'cancelled'],
    ] as const) {
      const { options, happened } = openShop();
      const { executor } = makeExecutor(options);
      const aborting = new AbortController();
      const session = await executor.acquire({ sessionKey: uniqueKey('deferred') });
      // Its interpreter is ready then, and its calls take no time.
      await session.execute('1');
      const looked = createDeferred<void>();
      const running = session.execute(code, {
        signal: aborting.signal,
        ...(stop === 'time' && { timeoutMs: 5000 }),
        onEvent: ({ type }) => {
          if (type === 'tool-call-ended') looked.resolve();
        },
      });
      if (stop !== 'time') await looked.promise;
      if (stop === 'signal') aborting.abort();
      if (stop === 'session') await executor.closeSession({ id: session.id });
      if (stop === 'executor') await executor.close();
      const result = await running;
      expect(result.status).toBe(status);
      expect(outcomes(result)).toEqual(['1 not-made Cancelled']);
      expect(happened).toEqual(['look']);
    }
  });

  it('is not made if its program is aborted while the approver decides', async () => {
    const asked = createDeferred<void>();
    const { options, happened } = openShop({}, async () => {
      asked.resolve();
      return new Promise<Approval>(() => {});
    });
    const { executor } = makeExecutor(options);
    const aborting = new AbortController();
    const running = executor.execute('seen = await pay(amount=1)', { signal: aborting.signal });
    await asked.promise;
    aborting.abort();
    const result = await running;
    expect(outcomes(result)).toEqual(['1 not-made Cancelled']);
    expect(happened).toEqual(['ask 1']);
  });

  it('is not made after a held program was cancelled, although the program had ended', async () => {
    const asked = createDeferred<void>();
    const { options } = openShop({}, async () => {
      asked.resolve();
      return new Promise<Approval>(() => {});
    });
    const { executor } = makeExecutor(options);
    const session = await executor.acquire();
    const program = await session.start('print(await pay(amount=1))');
    await asked.promise;
    expect(program.status).toBe('running');
    const result = await program.cancel();
    expect(result.status).toBe('ok');
    expect(outcomes(result)).toEqual(['1 not-made Cancelled']);
    expect(await program.next()).toMatchObject({ state: 'ended', result: { status: 'ok' } });
  });

  it('is not made, and no later one is, if it cannot be recorded or is aborted before its tool runs', async () => {
    const { options, happened } = openShop();
    const { executor } = makeExecutor(options);
    const code = 'seen = [await pay(amount=1), await pay(amount=2)]';
    const log = { deferred: async () => {}, ended: async () => {} };
    let records = 0;
    const failing = async (): Promise<void> => {
      records += 1;
      if (records === 1) throw new Error('disk full');
    };
    const failed = await executor.execute(code, { callLog: { ...log, started: failing } });
    expect(outcomes(failed)).toEqual(['1 not-made HostError', '2 not-made Cancelled']);
    const aborting = new AbortController();
    const aborted = await executor.execute(code, {
      callLog: { ...log, started: async () => aborting.abort() },
      signal: aborting.signal,
    });
    expect(outcomes(aborted)).toEqual(['1 not-made Cancelled', '2 not-made Cancelled']);
    expect(happened.filter((what) => what.startsWith('pay'))).toEqual([]);
  });

  it('is of unknown outcome if the host is told to stop while its tool runs, and no other is made', async () => {
    const running = createDeferred<void>();
    const { options } = openShop();
    const { executor } = makeExecutor({
      ...options,
      tools: [
        {
          name: 'pay',
          description: 'Pays.',
          inputSchema: { type: 'object', properties: { amount: { type: 'integer' } } },
          whenAsked: 'defer',
          run: async () => {
            running.resolve();
            return new Promise(() => {});
          },
        },
      ],
    });
    const aborting = new AbortController();
    const code = 'seen = [await pay(amount=1), await pay(amount=2)]';
    const ending = executor.execute(code, { signal: aborting.signal });
    await running.promise;
    aborting.abort();
    expect(outcomes(await ending)).toEqual(['1 unknown Cancelled', '2 not-made Cancelled']);
  });
});
