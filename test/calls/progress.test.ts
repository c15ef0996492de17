import { expect, it, onTestFinished, vi } from 'vitest';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { OpenCalls } from '../../src/calls/open-calls.ts';
import type { ToolContext, ToolProgress } from '../../src/tools/tool.ts';
import { invoke } from './invoke.ts';

function listen(): {
  readonly told: ToolProgress[];
  readonly onProgress: (one: ToolProgress) => void;
} {
  const told: ToolProgress[] = [];
  return { told, onProgress: (one) => void told.push(one) };
}

/** Timers that move only when the test says so. */
function stopTime(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  });
  onTestFinished(() => void vi.useRealTimers());
}

it('passes the first and the last of many reports on', async () => {
  const { told, onProgress } = listen();
  const run = (_input: unknown, { progress }: ToolContext): void => {
    for (let at = 1; at <= 10_000; at++) progress({ progress: at, total: 10_000 });
  };
  expect(await invoke({ run }, { onProgress })).toMatchObject({ ok: true });
  expect(told).toEqual([
    { progress: 1, total: 10_000, message: undefined },
    { progress: 10_000, total: 10_000, message: undefined },
  ]);
});

it('passes reports on ten times a second at most', async () => {
  stopTime();
  const { told, onProgress } = listen();
  const end = createDeferred<void>();
  const run = async (_input: unknown, { progress }: ToolContext): Promise<void> => {
    const timer = setInterval(() => progress({ progress: performance.now() }), 10);
    await end.promise;
    clearInterval(timer);
  };
  const outcome = invoke({ run }, { onProgress });
  await vi.advanceTimersByTimeAsync(1000);
  end.resolve();
  await outcome;
  expect(told.length).toBeLessThanOrEqual(12);
});

it('cuts messages and makes them safe to show', async () => {
  const { told, onProgress } = listen();
  const message = `a\u001b[2J\nb${'x'.repeat(2000)}`;
  await invoke(
    { run: (_input, { progress }) => progress({ progress: 1, message }) },
    { onProgress },
  );
  expect(told[0]?.message).toMatch(/^a\\x1b\[2J\\nbx+$/);
  expect(told[0]?.message?.length).toBeLessThan(1010);
});

it('passes reports on as they were when the tool made them', async () => {
  const { told, onProgress } = listen();
  const run = (_input: unknown, { progress }: ToolContext): void => {
    const report = { progress: 1, message: 'one' };
    progress(report);
    progress(Object.assign(report, { progress: 2, message: 'two' }));
    Object.assign(report, { progress: Number.NaN, message: 3 });
  };
  expect(await invoke({ run }, { onProgress })).toMatchObject({ ok: true });
  expect(told).toEqual([
    { progress: 1, total: undefined, message: 'one' },
    { progress: 2, total: undefined, message: 'two' },
  ]);
});

it.each([
  [undefined, 'must be an object'],
  [{}, 'needs the option progress'],
  [{ progress: 'half' }, 'progress must be a number'],
  [{ progress: Number.POSITIVE_INFINITY }, 'progress must be a finite number'],
  [{ progress: 1, total: Number.POSITIVE_INFINITY }, 'total must be a finite number'],
  [{ progress: 1, message: 2 }, 'message must be text'],
  [{ progress: 1, totl: 2 }, 'has no option totl. Did you mean total?'],
])('fails a call that reports %j', async (report, reason) => {
  const { told, onProgress } = listen();
  const run = (_input: unknown, { progress }: ToolContext): void => progress(report as never);
  expect(await invoke({ run }, { onProgress })).toMatchObject({
    failure: { type: 'Failed', message: expect.stringContaining(reason) },
  });
  expect(told).toEqual([]);
});

it('passes nothing on after the call has ended or was given up', async () => {
  const { told, onProgress } = listen();
  const contexts: ToolContext[] = [];
  await invoke({ run: (_input, context) => void contexts.push(context) }, { onProgress });
  const openCalls = new OpenCalls();
  const run = (_input: unknown, { progress }: ToolContext): void => {
    openCalls.giveUp('call');
    progress({ progress: 1 });
  };
  await invoke({ run }, { onProgress, openCalls });
  contexts[0]?.progress({ progress: 2 });
  expect(told).toEqual([]);
});

it.each([undefined, 1])(
  'moves the time limit up to the maximum, with concurrency %s',
  async (concurrency) => {
    stopTime();
    const run = async (_input: unknown, { progress, signal }: ToolContext): Promise<void> => {
      const timer = setInterval(() => progress({ progress: 1 }), 600);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      clearInterval(timer);
    };
    const limited = { run, timeoutMs: 1000, ...(concurrency !== undefined && { concurrency }) };
    let ended = false;
    const outcome = invoke({ ...limited, maxTimeoutMs: 5000 }).finally(() => (ended = true));
    await vi.advanceTimersByTimeAsync(4990);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(20);
    expect(await outcome).toMatchObject({
      failure: { type: 'Timeout', message: 'no answer within 5000 ms' },
    });
    const other = invoke(limited);
    await vi.advanceTimersByTimeAsync(10_010);
    expect(await other).toMatchObject({ failure: { message: 'no answer within 10000 ms' } });
  },
);

it('ends a call that has stopped reporting', async () => {
  stopTime();
  const never = createDeferred<void>();
  const run = async (_input: unknown, { progress }: ToolContext): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 900));
    progress({ progress: 1 });
    await never.promise;
  };
  const outcome = invoke({ run, timeoutMs: 1000 });
  await vi.advanceTimersByTimeAsync(2000);
  expect(await outcome).toMatchObject({
    failure: { type: 'Timeout', message: 'no progress within 1000 ms' },
  });
});

it('refuses a maximum that is shorter than the time limit', async () => {
  await expect(invoke({ timeoutMs: 1000, maxTimeoutMs: 500 })).rejects.toMatchObject({
    code: 'TOOL_INVALID',
    message: expect.stringContaining('maxTimeoutMs must be at least timeoutMs, which is 1000'),
  });
});
