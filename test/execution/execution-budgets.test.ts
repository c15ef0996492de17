import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDeferred, type Deferred } from '../../src/shared/async/deferred.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { outcome, printed, toolCall, type FakeRunner } from '../support/fake-runner.ts';
import { connect, request } from './fake-connection.ts';

/** The errors in the answers that a runner got, once there are so many, in the order of the ids of the calls. */
async function answers(runner: FakeRunner, count: number): Promise<(string | undefined)[]> {
  const arrived = createDeferred<void>();
  const given = (): (string | undefined)[] =>
    runner.received
      .filter((message) => message.kind === 'tool-result')
      .sort((a, b) => a.call_id.localeCompare(b.call_id))
      .map(({ error }) => error?.type);
  const look = (): void => {
    if (given().length >= count) arrived.resolve();
  };
  runner.onMessage = look;
  look();
  await arrived.promise;
  return given();
}

const interruptedOutcome = outcome({
  success: false,
  exit_code: 1,
  error: { type: 'KeyboardInterrupt', message: '', line: 3, traceback: '' },
});

describe('a program that exceeds its budget', () => {
  it('of tool calls is interrupted, and the limit and its value are named [case 79, every/budgets]', async () => {
    const { runner, connection } = connect({ budgets: { toolCalls: 2 } });
    const running = connection.execute(request());
    runner.say(toolCall('1', 'add', { x: 1 }), toolCall('2', 'add', { x: 1 }));
    await answers(runner, 2);
    runner.say(toolCall('3', 'add', { x: 1 }));
    expect(await answers(runner, 3)).toEqual([undefined, undefined, 'Cancelled']);
    expect(runner.received.map(({ kind }) => kind)).toContain('cancel');
    runner.say(interruptedOutcome);
    const result = await running;
    expect(result).toMatchObject({ status: 'budget-exceeded', success: false, sessionOpen: true });
    expect(result.error).toMatchObject({ type: 'TooManyToolCalls', line: 3 });
    expect(result.error?.message).toMatch(/limit of 2 \(toolCalls\)/);
  });

  it('has exceeded it, even if it then succeeds', async () => {
    const { runner, connection } = connect({ budgets: { toolCalls: 1 } });
    const running = connection.execute(request());
    runner.say(toolCall('1', 'add', { x: 1 }), toolCall('2', 'add', { x: 1 }), outcome());
    expect(await running).toMatchObject({ status: 'budget-exceeded', success: false });
  });

  it('of tool calls twice over loses its sandbox at once [host/budgets, waiting/calls]', async () => {
    const { runner, connection } = connect({ budgets: { toolCalls: 2 } });
    const running = connection.execute(request());
    for (let id = 1; id <= 5; id += 1) runner.say(toolCall(String(id), 'add', { x: 1 }));
    expect(await running).toMatchObject({ status: 'budget-exceeded', sessionOpen: false });
    expect(runner.destroyed).toBe(true);
  });

  it('of bytes out of the sandbox is interrupted, whatever they contain [every/budgets, host/budgets, waiting/calls]', async () => {
    const { runner, connection } = connect({
      budgets: { receivedBytes: 1000 },
      maxOutputBytes: 10_000,
    });
    const running = connection.execute(request());
    for (let chunk = 0; chunk < 3; chunk += 1) runner.say(printed('x'.repeat(300)));
    runner.say(interruptedOutcome);
    const result = await running;
    expect(result).toMatchObject({ status: 'budget-exceeded', sessionOpen: true });
    expect(result.error).toMatchObject({ type: 'TooManyBytes' });
    expect(result.error?.message).toMatch(/limit of 1000 \(receivedBytes\)/);
  });

  it('of bytes of results is interrupted, and the result that exceeds it is not sent [case 102, every/budgets, host/budgets, waiting/results]', async () => {
    const { runner, connection } = connect({ budgets: { sentBytes: 100 } });
    const tools = new ToolRegistry([
      defineTool({ name: 'page', description: 'Gives 60 bytes.', run: () => 'x'.repeat(58) }),
    ]);
    const running = connection.execute(request({ tools: tools.snapshot() }));
    runner.say(toolCall('1', 'page'), toolCall('2', 'page'));
    expect(await answers(runner, 2)).toEqual([undefined, 'TooManyResultBytes']);
    runner.say(interruptedOutcome);
    const result = await running;
    expect(result).toMatchObject({ status: 'budget-exceeded', sessionOpen: true });
    expect(result.error?.message).toMatch(/limit of 100 \(sentBytes\)/);
  });

  it('of time to check arguments is interrupted, and its further calls are neither checked nor run', async () => {
    const { runner, connection } = connect({ budgets: { validationMs: 10 } });
    let checks = 0;
    let runs = 0;
    // Takes at least 4 ms by the clock and of the processor, of which other threads of the process use some too: so the
    // third check passes the budget at the latest, whichever is counted.
    const takeTime = (): boolean => {
      const before = process.cpuUsage();
      const began = performance.now();
      let used = 0;
      while (used < 4000 || performance.now() - began < 4) {
        const { user, system } = process.cpuUsage(before);
        used = user + system;
      }
      return (checks += 1) > 0;
    };
    const tools = new ToolRegistry([
      {
        name: 'slow',
        description: 'Takes its time to check what it gets.',
        inputSchema: z.object({ x: z.number() }).refine(takeTime),
        run: () => (runs += 1),
      },
    ]);
    const running = connection.execute(request({ tools: tools.snapshot() }));
    runner.say(...['1', '2', '3', '4', '5'].map((id) => toolCall(id, 'slow', { x: 1 })));
    expect((await answers(runner, 5)).slice(2)).toEqual(['Cancelled', 'Cancelled', 'Cancelled']);
    expect(checks).toBeLessThanOrEqual(3);
    expect(runs).toBeLessThan(checks);
    runner.say(interruptedOutcome);
    const result = await running;
    expect(result).toMatchObject({ status: 'budget-exceeded', sessionOpen: true });
    expect(result.error).toMatchObject({ type: 'TooMuchValidation' });
    expect(result.error?.message).toMatch(/limit of 10 \(validationMs\)/);
  });

  it('of time to check arguments does not pay for the time in which a busy machine held the host', async () => {
    const { runner, connection } = connect({ budgets: { validationMs: 50 } });
    // Without a processor, as a process that others keep from running.
    const wait = (): boolean =>
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100) === 'timed-out';
    const tools = new ToolRegistry([
      defineTool({
        name: 'held',
        description: 'Is held while its arguments are checked.',
        inputSchema: z.object({ x: z.number() }).refine(wait),
        run: () => 'ran',
      }),
    ]);
    const running = connection.execute(request({ tools: tools.snapshot() }));
    runner.say(toolCall('1', 'held', { x: 1 }), toolCall('2', 'held', { x: 1 }));
    expect(await answers(runner, 2)).toEqual([undefined, undefined]);
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'ok', toolCalls: 2 });
  });

  it('starts again with the next program', async () => {
    const { runner, connection } = connect({ budgets: { toolCalls: 1 } });
    for (const executionId of ['1', '2', '3']) {
      const running = connection.execute(request());
      runner.say(toolCall('1', 'add', { x: 1 }, executionId));
      runner.say(outcome({ execution_id: executionId }));
      expect(await running).toMatchObject({ status: 'ok', toolCalls: 1 });
    }
  });
});

describe('tool calls at a time', () => {
  it('are no more than their budget, and the others wait in order [case 79, waiting/calls]', async () => {
    const { runner, connection } = connect({ budgets: { concurrentToolCalls: 2 } });
    const entered: Deferred<void>[] = [];
    const order: number[] = [];
    const arrivals = [0, 1, 2, 3].map(() => createDeferred<void>());
    const tools = new ToolRegistry([
      defineTool({
        name: 'wait',
        description: 'Waits.',
        inputSchema: { type: 'object', properties: { n: { type: 'integer' } } },
        run: async ({ n }: { n: number }) => {
          order.push(n);
          const release = createDeferred<void>();
          entered.push(release);
          arrivals[n]?.resolve();
          await release.promise;
          return n;
        },
      }),
    ]);
    const running = connection.execute(request({ tools: tools.snapshot() }));
    for (const n of [0, 1, 2, 3]) runner.say(toolCall(String(n), 'wait', { n }));
    await arrivals[1]?.promise;
    expect(order).toEqual([0, 1]);
    entered[1]?.resolve();
    await arrivals[2]?.promise;
    expect(order).toEqual([0, 1, 2]);
    entered[0]?.resolve();
    await arrivals[3]?.promise;
    for (const release of entered) release.resolve();
    await answers(runner, 4);
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'ok', toolCalls: 4 });
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('that still wait when the program ends never run', async () => {
    const { runner, connection } = connect({ budgets: { concurrentToolCalls: 1 } });
    const begun = createDeferred<void>();
    const ran: number[] = [];
    const tools = new ToolRegistry([
      defineTool({
        name: 'wait',
        description: 'Waits until nobody waits for it.',
        inputSchema: { type: 'object', properties: { n: { type: 'integer' } } },
        run: async ({ n }: { n: number }, { signal }) => {
          ran.push(n);
          begun.resolve();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        },
      }),
    ]);
    const running = connection.execute(request({ tools: tools.snapshot() }));
    for (const n of [0, 1, 2]) runner.say(toolCall(String(n), 'wait', { n }));
    await begun.promise;
    runner.say(outcome());
    expect(await running).toMatchObject({ status: 'ok', toolCalls: 3 });
    await new Promise(setImmediate);
    expect(ran).toEqual([0]);
  });
});
