import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { outcome, printed, ready } from '../support/fake-runner.ts';
import { connect, request } from './fake-connection.ts';

describe('a runner that starts', () => {
  it('is ready when it says so', async () => {
    const { runner, connection } = connect();
    runner.say(ready());
    await connection.ready();
    expect(connection.open).toBe(true);
  });

  it('of another protocol version is refused, with both versions', async () => {
    const { runner, connection } = connect();
    runner.say(ready(2));
    await expect(connection.ready()).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringMatching(/version 2.*version 1/),
    });
  });

  it('but ends first is refused, with what it printed', async () => {
    const { runner, connection } = connect();
    runner.printed = 'No module named json';
    runner.end(new Error('exit status 1'));
    await expect(connection.ready()).rejects.toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringContaining('No module named json'),
      details: { printed: 'No module named json' },
      cause: { message: 'exit status 1' },
    });
    expect(connection.open).toBe(false);
  });

  it('and is aborted meanwhile does not delay the caller', async () => {
    const { connection } = connect();
    const controller = new AbortController();
    const waiting = connection.ready(controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('that is taken over counts only with its answer to this host', async () => {
    const { runner, connection } = connect();
    const taking = connection.attach(1000);
    const [asked] = runner.received;
    if (asked?.kind !== 'attach') throw new Error('It was not asked to attach.');
    // What an earlier host asked for, and what its program went on to do.
    runner.say({ kind: 'attached', attach_id: 'renewal', executions: 3, interrupted: false });
    runner.say({ kind: 'attached', attach_id: 'other', executions: 4, interrupted: false });
    runner.say({
      kind: 'output-delta',
      execution_id: '5',
      stream: 'stdout',
      text: 'late',
      omitted_bytes: 0,
    });
    runner.say({
      kind: 'attached',
      attach_id: asked.attach_id,
      executions: 5,
      interrupted: true,
    });
    expect(await taking).toMatchObject({ executions: 5, interrupted: true });
    // One that was still on its way.
    runner.say({ kind: 'attached', attach_id: 'renewal', executions: 5, interrupted: false });
    expect(connection.open).toBe(true);
  });

  it('and is lost while nothing waits causes no unhandled rejection', async () => {
    const { runner } = connect();
    runner.end();
    await nextTick();
    expect(runner.destroyed).toBe(false);
  });
});

describe('a runner whose time is up', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('because it was never ready, fails the start with what it printed', async () => {
    const { runner, connection } = connect({ startTimeoutMs: 1000 });
    runner.printed = 'still importing';
    const waiting = connection.ready();
    const refused = waiting.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await refused).toMatchObject({
      code: 'SANDBOX_START_FAILED',
      message: expect.stringMatching(/not ready within 1000 ms.*still importing/),
    });
  });

  it('and that ignores a cancel, is ended by the host, and the program has timed out', async () => {
    const { runner, connection } = connect();
    const running = connection.execute(request({ timeoutMs: 200 }));
    runner.say(ready(), printed('so far'));
    await vi.advanceTimersByTimeAsync(200);
    expect(runner.received.at(-1)).toEqual({ kind: 'cancel', execution_id: '1' });
    expect(runner.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(14_999);
    expect(runner.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await running).toMatchObject({
      status: 'timeout',
      stdout: 'so far',
      sessionOpen: false,
    });
    expect(runner.destroyed).toBe(true);
  });

  it('but whose report has arrived when its last time is over, is used again', async () => {
    const { runner, connection } = connect();
    const running = connection.execute(request({ timeoutMs: 200 }));
    vi.advanceTimersByTime(200);
    vi.advanceTimersByTime(15_000);
    // The event loop reads after it has run the timers that are due.
    setImmediate(() => runner.say(outcome({ success: false, exit_code: 1 })));
    expect(await running).toMatchObject({ status: 'timeout', sessionOpen: true });
    await nextTick();
    await nextTick();
    expect(runner.destroyed).toBe(false);
  });

  it('and that ends in time after all, is used again, and is cancelled once', async () => {
    const { runner, connection } = connect();
    const controller = new AbortController();
    const running = connection.execute(request({ timeoutMs: 200, signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(200);
    controller.abort();
    runner.say(outcome({ success: false, exit_code: 1 }));
    expect(await running).toMatchObject({ status: 'timeout', sessionOpen: true });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(runner.destroyed).toBe(false);
    expect(runner.received.filter(({ kind }) => kind === 'cancel')).toHaveLength(1);
  });
});
