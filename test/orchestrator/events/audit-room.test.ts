import { expect, it } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import type { AuditLog } from '../../../src/audit/entry.ts';
import { converse, says, uses } from '../support.ts';

it('a direct call waits for room in the audit log before its tool runs', async () => {
  const room = createDeferred<void>();
  const asked = createDeferred<void>();
  const entries: string[] = [];
  let full = true;
  const audit: AuditLog = {
    record: ({ type }) => void entries.push(type),
    ready: () => {
      asked.resolve();
      return full ? room.promise : undefined;
    },
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  let ran = 0;
  const act = {
    name: 'act',
    description: 'Acts.',
    allowedCallers: ['direct'],
    run: () => (ran += 1),
  } as const;
  const { orchestrator, results } = converse([[uses('act', {}, 'd1')], says('Done.')], {
    toolList: [act],
    audit,
  });
  const running = orchestrator.run('Act.');
  await asked.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(ran).toBe(0);
  full = false;
  room.resolve();
  await running;
  expect(results(1)).toEqual([{ text: '1', isError: false }]);
  expect(entries).toEqual(['tool-call-ended']);
});
