import { expect, it } from 'vitest';
import { uniqueKey } from '../../support/unique-key.ts';
import { useExecutors } from '../support.ts';
import { openShop } from './shop.ts';

const makeExecutor = useExecutors();

const PAID = ['pay 1', 'pay 2', 'pay 3', 'pay 4', 'pay 5'];

/** A way to stop a program. */
const STOPS = ['nothing', 'raise', 'exit', 'abort', 'close'] as const;

/** Each way at each moment between the five calls or after the last one, four times. */
const PROGRAMS = 4 * STOPS.length * PAID.length;

it(`of ${PROGRAMS} programs that are stopped at any moment, each makes all its deferred calls or none`, async () => {
  const { options, happened } = openShop();
  const { executor } = makeExecutor(options);
  const sessionKey = uniqueKey('stopped');
  const ends = new Map<string, number>();
  for (let program = 0; program < PROGRAMS; program++) {
    const stop = STOPS[program % STOPS.length] ?? 'nothing';
    const at = 1 + (Math.floor(program / STOPS.length) % PAID.length);
    const statement = { raise: 'raise ValueError()', exit: 'import os; os._exit(0)' };
    const code = `for n in range(1, 6):
    seen = await pay(amount=n)
    if n == ${at}: ${stop === 'raise' || stop === 'exit' ? statement[stop] : 'pass'}`;
    const aborting = new AbortController();
    happened.length = 0;
    let closing: Promise<unknown> | undefined;
    let calls = 0;
    const session = await executor.acquire({ sessionKey });
    const result = await session.execute(code, {
      signal: aborting.signal,
      onEvent: ({ type }) => {
        if (type !== 'tool-call-deferred' || ++calls !== at) return;
        if (stop === 'abort') aborting.abort();
        if (stop === 'close') closing = executor.closeSession({ id: session.id });
      },
    });
    await closing;
    await session.release();
    const paid = happened.filter((what) => what.startsWith('pay'));
    const { deferred = [] } = result;
    expect(deferred.length).toBeGreaterThan(0);
    const isMade = stop === 'nothing';
    expect(paid).toEqual(isMade ? PAID : []);
    const outcome = isMade ? 'done' : 'not-made';
    expect(deferred.map((call) => call.outcome)).toEqual(deferred.map(() => outcome));
    ends.set(result.status, (ends.get(result.status) ?? 0) + 1);
  }
  // Stopped as it ends, a program can succeed: its calls are not made nevertheless.
  expect([...ends.keys()]).toEqual(
    expect.arrayContaining(['ok', 'error', 'sandbox-lost', 'cancelled']),
  );
});
