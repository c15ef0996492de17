import { expect, it } from 'vitest';
import type { CallLog } from '../../../src/calls/call-log.ts';
import type {
  StoreAppendOptions,
  ConversationEntry,
} from '../../../src/orchestrator/store/conversation-store.ts';
import { Journal } from '../../../src/orchestrator/store/journal.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { connect, request } from '../../execution/fake-connection.ts';
import { outcome, toolCall } from '../../support/fake-runner.ts';

it('a store that never answers gets the start of each call, and no more calls than may run at a time [waiting/store]', async () => {
  const given: ConversationEntry[] = [];
  const opened = createDeferred<void>();
  let isSlow = false;
  const store = {
    load: async () => [],
    append: async ({ entries }: StoreAppendOptions) => {
      if (isSlow) await opened.promise;
      given.push(...entries);
    },
    remove: async () => {},
  };
  const journal = new Journal(store, 'a');
  await journal.begin('run', () => {});
  isSlow = true;
  const { runner, connection } = connect({ budgets: { concurrentToolCalls: 5 } });
  let ran = 0;
  const tools = new ToolRegistry([
    { name: 'act', description: 'Acts.', inputSchema: { type: 'object' }, run: () => (ran += 1) },
  ]);
  const log = journal.callLog('use');
  let began = 0;
  const callLog: CallLog = {
    ...log,
    started: async (call) => {
      began += 1;
      await log.started(call);
    },
  };
  const running = connection.execute(request({ tools: tools.snapshot(), callLog }));
  const text = 'x'.repeat(100_000);
  runner.say(...Array.from({ length: 40 }, (_, index) => toolCall(`c${index}`, 'act', { text })));
  await expect.poll(() => began).toBe(5);
  // The program ends, and leaves the store what it has not written.
  runner.say(outcome());
  expect(await running).toMatchObject({ status: 'ok', toolCalls: 40 });
  opened.resolve();
  await expect.poll(() => given.length).toBeGreaterThan(5);
  const [, ...calls] = given;
  expect(calls.map(({ type }) => type)).toEqual(
    Array.from({ length: 5 }, () => 'tool-call-started'),
  );
  expect(JSON.stringify(calls).length).toBeLessThan(6000);
  expect(ran).toBe(0);
});
