import { expect, it } from 'vitest';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { useExecutors } from '../support.ts';
import { outcomes } from './shop.ts';

const makeExecutor = useExecutors();

const policy = {
  rules: [{ tool: '*', action: 'ask' }],
  approver: async () => ({ approved: true as const }),
} as const;

const THREE_WAITS = 'for n in range(3):\n    seen = await wait()';

it('tells each deferred call after an abort that the host was stopped', async () => {
  const started = createDeferred<undefined>();
  const wait = {
    name: 'wait',
    description: 'Waits.',
    whenAsked: 'defer',
    run: async (_input: unknown, { signal }: ToolContext) => {
      started.resolve(undefined);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    },
  } as const;
  const { executor } = makeExecutor({ tools: [wait], policy });
  const aborting = new AbortController();
  const running = executor.execute(THREE_WAITS, { signal: aborting.signal });
  await started.promise;
  aborting.abort();
  const { deferred = [] } = await running;
  expect(deferred.map(({ outcome }) => outcome)).toEqual(['unknown', 'not-made', 'not-made']);
  const stopped = 'the host was stopped before it made this call';
  expect(deferred.slice(1)).toMatchObject([
    { error: { message: stopped } },
    { error: { message: stopped } },
  ]);
});

it('does not say that a call was not done whose time limit has passed', async () => {
  const wait = {
    name: 'wait',
    description: 'Waits.',
    whenAsked: 'defer',
    timeoutMs: 20,
    run: async () => new Promise(() => {}),
  } as const;
  const { executor } = makeExecutor({
    tools: [wait],
    policy: { ...policy, onDeferredFailure: 'stop' },
  });
  const result = await executor.execute(THREE_WAITS);
  expect(outcomes(result)[0]).toBe('1 unknown Timeout');
  const message = 'the deferred call number 1 may not have been done';
  expect(result.deferred?.slice(1)).toMatchObject([{ error: { message } }, { error: { message } }]);
});

it('keeps no more of a long result than it shows', async () => {
  let calls = 0;
  const look = {
    name: 'look',
    description: 'Returns much.',
    whenAsked: 'defer',
    run: () => 'x'.repeat(4_000_000) + String(++calls),
  } as const;
  const { executor } = makeExecutor({ tools: [look], policy });
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const result = await executor.execute('for n in range(20):\n    seen = await look()');
  collectGarbage();
  const grown = process.memoryUsage().heapUsed - before;
  expect(result.deferred).toHaveLength(20);
  expect(grown).toBeLessThan(40e6);
});
