import { describe, expect, it, vi } from 'vitest';
import { outcome, toolCall } from '../../support/fake-runner.ts';
import { connect, request } from '../fake-connection.ts';
import { startHeld, waiting } from './held-run.ts';

describe('a hostile runner that speaks of waiting', () => {
  it.each([
    ['without being asked', false, [waiting()]],
    ['after results that were not sent', true, [toolCall('a', 'look', { x: 1 }), waiting(1)]],
    ['again and again', true, [waiting(), waiting(), waiting()]],
  ] as const)('%s loses the sandbox', async (_, held, messages) => {
    const { runner, connection } = connect();
    const running = connection.execute(request({ held }));
    runner.say(...messages);
    expect(await running).toMatchObject({ status: 'protocol-error', sessionOpen: false });
    expect(runner.destroyed).toBe(true);
  });

  it('of a program that it was never given loses the sandbox', async () => {
    const { runner, held } = startHeld();
    runner.say(waiting(0, true, '7'));
    expect(await held.ended).toMatchObject({ status: 'protocol-error' });
  });

  it('of a program that has ended is ignored', async () => {
    const { runner, connection } = connect();
    const first = connection.execute(request());
    runner.say(outcome());
    await first;
    const second = connection.execute(request());
    runner.say(waiting(0, true, '1'), outcome({ execution_id: '2' }));
    expect(await second).toMatchObject({ status: 'ok' });
  });

  it('a million times loses the sandbox early', async () => {
    const { runner, held } = startHeld();
    let said = 0;
    runner.say(toolCall('a', 'look', { x: 1 }));
    for (; said < 1_000_000 && !runner.destroyed; said += 1) runner.say(waiting());
    expect(said).toBeLessThan(10);
    expect(await held.ended).toMatchObject({ status: 'protocol-error' });
  });

  it('and whose program goes on calling only makes more calls come out', async () => {
    const { runner, held } = startHeld();
    runner.say(toolCall('a', 'look', { x: 1 }), waiting());
    expect(await held.next()).toMatchObject({ state: 'waiting', calls: [{ callId: 'a' }] });
    runner.say(toolCall('b', 'look', { x: 2 }));
    expect(held.status).toBe('running');
    runner.say(waiting());
    const step = await held.next();
    expect(step).toMatchObject({ calls: [{ callId: 'a' }, { callId: 'b' }] });
    runner.say(outcome());
    expect(await held.next()).toMatchObject({ state: 'ended', result: { status: 'ok' } });
  });

  it('is not believed before it has the results that it was sent', async () => {
    const { runner, held } = startHeld();
    runner.say(toolCall('a', 'look', { x: 1 }), toolCall('b', 'look', { x: 2 }), waiting());
    await held.next();
    held.answer('a', { result: 1 });
    await expect.poll(() => runner.received.at(-1)).toMatchObject({ kind: 'tool-result' });
    runner.say(waiting(0));
    expect(held.status).toBe('running');
    runner.say(waiting(1));
    expect(held.status).toBe('waiting');
    expect(await held.next()).toMatchObject({ calls: [{ callId: 'b' }] });
    runner.end();
    expect(await held.next()).toMatchObject({ result: { status: 'sandbox-lost' } });
  });

  it('never leaves its program waiting for longer than a remote call may take', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const { runner, held } = startHeld({ timeoutMs: 1000 });
      const next = held.next();
      runner.say(toolCall('a', 'look', { x: 1 }));
      await vi.advanceTimersByTimeAsync(269_999);
      expect(held.status).toBe('running');
      expect(runner.received.filter(({ kind }) => kind === 'tool-result')).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(runner.received.at(-1)).toMatchObject({ call_id: 'a', error: { type: 'Timeout' } });
      await vi.advanceTimersByTimeAsync(1000);
      expect(runner.received.at(-1)).toMatchObject({ kind: 'cancel' });
      runner.say(outcome({ success: false }));
      expect(await next).toMatchObject({ state: 'ended', result: { status: 'timeout' } });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a program of which the runner is not certain', () => {
  it('waits when it has been quiet for 20 ms', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const { runner, held } = startHeld();
      runner.say(toolCall('a', 'look', { x: 1 }), waiting(0, false));
      await vi.advanceTimersByTimeAsync(19);
      expect(held.status).toBe('running');
      runner.say(toolCall('b', 'look', { x: 2 }), waiting(0, false));
      await vi.advanceTimersByTimeAsync(19);
      expect(held.status).toBe('running');
      await vi.advanceTimersByTimeAsync(1);
      expect(held.status).toBe('waiting');
      expect(await held.next()).toMatchObject({ calls: [{ callId: 'a' }, { callId: 'b' }] });
      runner.say(outcome());
      await held.ended;
    } finally {
      vi.useRealTimers();
    }
  });
});

it('a program that makes calls without end has as many open as its budget, whatever they contain [waiting/remote-calls]', async () => {
  const { runner, held } = startHeld({}, { toolCalls: 100, concurrentToolCalls: 4 });
  const deep = { x: 1, lists: Array.from({ length: 1000 }, () => []) };
  for (let index = 0; index < 200; index += 1) {
    runner.say(toolCall(String(index), 'look', { ...deep, x: index }));
  }
  // At the budget, it is stopped, and at twice the budget, the sandbox is ended.
  expect(runner.received.at(-1)).toMatchObject({ kind: 'cancel' });
  expect(() => held.answer('1', { result: 1 })).toThrow(
    expect.objectContaining({ code: 'CALL_NOT_OPEN' }),
  );
  runner.say(toolCall('one more', 'look', { x: 1 }));
  expect(await held.next()).toMatchObject({
    state: 'ended',
    result: { status: 'budget-exceeded' },
  });
  expect(runner.destroyed).toBe(true);
});
