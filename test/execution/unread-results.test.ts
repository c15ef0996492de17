import { describe, expect, it } from 'vitest';
import type { HostMessage } from '../../src/protocol/messages.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import type { FakeRunner } from '../support/fake-runner.ts';
import { outcome, toolCall } from '../support/fake-runner.ts';
import { connect, request } from './fake-connection.ts';

/** Counts how many results are made, for a program that may have three calls at a time. */
function counting(): { readonly tools: ToolRegistry; readonly made: () => number } {
  let made = 0;
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    run: () => {
      made += 1;
      return 'x'.repeat(1000);
    },
  });
  return { tools: new ToolRegistry([read]), made: () => made };
}

/** Long enough for all calls, if nothing held them back. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function resultsIn({ received }: FakeRunner): HostMessage[] {
  return received.filter(({ kind }) => kind === 'tool-result');
}

const calls = Array.from({ length: 40 }, (_, index) => toolCall(`c${index}`, 'read'));

describe('results that a runner does not read', () => {
  it('are no more than its calls at a time, and go on when it reads [waiting/results]', async () => {
    const { tools, made } = counting();
    const { runner, connection } = connect({ budgets: { concurrentToolCalls: 3 } });
    const running = connection.execute(request({ tools: tools.snapshot() }));
    const read = createDeferred<void>();
    runner.taken = read.promise;
    runner.say(...calls);
    await manyTurns();
    expect(made()).toBe(3);
    expect(resultsIn(runner)).toEqual([]);
    const all = createDeferred<void>();
    runner.onMessage = () => {
      if (resultsIn(runner).length === calls.length) all.resolve();
    };
    runner.taken = undefined;
    read.resolve();
    await all.promise;
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'ok', toolCalls: calls.length });
  });

  it('are dropped when the program ends [waiting/results]', async () => {
    const { tools, made } = counting();
    const { runner, connection } = connect({ budgets: { concurrentToolCalls: 3 } });
    const stop = new AbortController();
    const running = connection.execute(request({ tools: tools.snapshot(), signal: stop.signal }));
    runner.taken = new Promise(() => {});
    runner.say(...calls);
    await manyTurns();
    expect(made()).toBe(3);
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'ok' });
    expect(resultsIn(runner)).toEqual([]);
    expect(made()).toBe(3);
  });
});

describe('a program that a runner does not read', () => {
  it('cannot be ended by it: the sandbox is lost, so that no unread programs collect [waiting/unread-programs]', async () => {
    const { runner, connection } = connect();
    runner.taken = new Promise(() => {});
    const running = connection.execute(request());
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'protocol-error', sessionOpen: false });
    expect(runner.destroyed).toBe(true);
  });

  it('may be read late', async () => {
    const { runner, connection } = connect();
    const read = createDeferred<void>();
    runner.taken = read.promise;
    const running = connection.execute(request());
    runner.taken = undefined;
    read.resolve();
    await read.promise;
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'ok', sessionOpen: true });
  });
});
