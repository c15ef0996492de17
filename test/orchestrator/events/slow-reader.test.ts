import { expect, it } from 'vitest';
import { eventsOf } from '../../../src/orchestrator/events/event-stream.ts';
import type { RunEvent } from '../../../src/orchestrator/events/run-events.ts';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { converse, runs, says } from '../support.ts';

const MEGABYTE = 1024 * 1024;

it('the producer of a stream waits while unread events take 4 MiB, until they are read or given up [waiting/stream]', async () => {
  const held: (Promise<void> | undefined)[] = [];
  const pushed = createDeferred<void>();
  const stream = eventsOf<{ text: string }>(async (onEvent, signal) => {
    // Each character of these texts takes two bytes.
    while (held.at(-1) === undefined) held.push(onEvent({ text: 'x'.repeat(MEGABYTE / 4) }));
    pushed.resolve();
    await held.at(-1);
    expect(signal.aborted).toBe(false);
    await onEvent({ text: 'last' });
  }, undefined);
  const first = await stream.next();
  await pushed.promise;
  expect(first.done).toBe(false);
  expect(held.length).toBeGreaterThan(4);
  expect(held.length).toBeLessThanOrEqual(9);
  const rest: number[] = [];
  for await (const { text } of stream) rest.push(text.length);
  expect(rest).toEqual([...held.slice(1).map(() => MEGABYTE / 4), 4]);
});

it('short texts that become large values count as what they take [waiting/stream]', async () => {
  let events = 0;
  const stream = eventsOf<unknown>(async (onEvent) => {
    const list = (): unknown[] => Array.from({ length: 10_000 }, () => []);
    do events += 1;
    while (onEvent(list()) === undefined);
  }, undefined);
  await stream.next();
  expect(events).toBeLessThan(10);
  await stream.return();
});

it('a turn begins when the listener has taken its first event', async () => {
  const order: string[] = [];
  const begun = createDeferred<void>();
  const may = createDeferred<void>();
  const { orchestrator, requests } = converse([says('Done.')]);
  const onEvent = async ({ type }: RunEvent): Promise<void> => {
    order.push(type);
    if (type !== 'turn-started') return;
    begun.resolve();
    await may.promise;
  };
  const running = orchestrator.run('Go.', { onEvent });
  await begun.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(requests).toEqual([]);
  may.resolve();
  await running;
  expect(requests).toHaveLength(1);
  expect(order.at(-1)).toBe('run-ended');
});

it('a run whose listener never takes an event can be aborted', async () => {
  const stop = new AbortController();
  const { orchestrator } = converse([runs('await nothing()'), says('Done.')]);
  const onEvent = async ({ type }: RunEvent): Promise<void> => {
    if (type !== 'turn-started') return;
    stop.abort();
    await new Promise(() => {});
  };
  await expect(orchestrator.run('Go.', { onEvent, signal: stop.signal })).rejects.toMatchObject({
    code: 'ABORTED',
  });
});
