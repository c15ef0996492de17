import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChannelListener } from '../../../../src/providers/kubernetes/streams/channel.ts';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import { driveTimeLimits } from '../../../support/driven-time-limits.ts';
import { connect } from './connect.ts';
import { sidecarPacket, WELCOME } from './sidecar-packet.ts';
import { SlowSidecar } from './slow-sidecar.ts';

const LOOK_MS = 5000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** Waits until a host has connected to a sidecar, and said hello. */
async function nextHost(sidecar: SlowSidecar): Promise<ChannelListener> {
  const listener = await sidecar.greeted.promise;
  sidecar.greeted = createDeferred();
  return listener;
}

describe('an attempt to connect', () => {
  it('has more time if the one before was too late, until one succeeds', async () => {
    const limits = driveTimeLimits();
    const asked = (): readonly number[] => limits.map(({ ms }) => ms);
    const sidecar = new SlowSidecar();
    const connecting = connect(sidecar.open);
    await nextHost(sidecar);
    limits[0]?.end();
    (await nextHost(sidecar)).closed(new Error('the connection was cut'));
    // That one was not too late.
    const third = await nextHost(sidecar);
    expect(asked()).toEqual([10_000, 20_000, 20_000]);
    third.data(WELCOME);
    const { streams } = await connecting;
    third.closed(undefined);
    await nextHost(sidecar);
    expect(asked().slice(3)).toEqual([10_000]);
    streams.close();
  });

  it('has no more time than is left until the sandbox is given up', async () => {
    const limits = driveTimeLimits();
    const sidecar = new SlowSidecar();
    const connecting = connect(sidecar.open, { patienceMs: 30_000 });
    for (let late = 0; late < 2; late += 1) {
      await nextHost(sidecar);
      limits[late]?.end();
    }
    (await nextHost(sidecar)).data(WELCOME);
    (await connecting).streams.close();
    expect(limits.map(({ ms }) => ms)).toEqual([10_000, 20_000, expect.any(Number)]);
    expect(limits[2]?.ms).toBeLessThanOrEqual(30_000);
  });

  it('has the same time if those before failed at once', async () => {
    const limits = driveTimeLimits();
    const sidecar = new SlowSidecar();
    const connecting = connect(sidecar.open);
    for (let cuts = 0; cuts < 3; cuts += 1) {
      (await nextHost(sidecar)).closed(new Error('the connection was cut'));
    }
    (await nextHost(sidecar)).data(WELCOME);
    (await connecting).streams.close();
    expect(limits.map(({ ms }) => ms)).toEqual([10_000, 10_000, 10_000, 10_000]);
  });

  it('has all its time, although the sidecar says nothing yet', async () => {
    const limits = driveTimeLimits();
    const sidecar = new SlowSidecar();
    const connecting = connect(sidecar.open);
    const listener = await nextHost(sidecar);
    vi.advanceTimersByTime(10 * LOOK_MS);
    await nextTurn();
    expect(sidecar.seen).toEqual(['H']);
    listener.data(WELCOME);
    (await connecting).streams.close();
    expect(limits).toHaveLength(1);
  });
});

describe('a sidecar that is asked for an answer', () => {
  it('has ten seconds for it', async () => {
    const sidecar = new SlowSidecar();
    const connecting = connect(sidecar.open);
    (await nextHost(sidecar)).data(WELCOME);
    const { streams } = await connecting;
    vi.advanceTimersByTime(2 * LOOK_MS);
    await nextTurn();
    expect(sidecar.seen).toEqual(['H', 'P', 'P']);
    vi.advanceTimersByTime(LOOK_MS);
    await nextTurn();
    expect(sidecar.seen.at(-1)).toBe('closed');
    streams.close();
  });

  it('has answered in time if its answer is there, and was only not read yet', async () => {
    const sidecar = new SlowSidecar();
    const connecting = connect(sidecar.open);
    const listener = await nextHost(sidecar);
    listener.data(WELCOME);
    const { streams } = await connecting;
    vi.advanceTimersByTime(3 * LOOK_MS);
    // Node reads after its timers.
    listener.data(sidecarPacket('P', Buffer.alloc(0)));
    await nextTurn();
    expect(sidecar.seen).not.toContain('closed');
    streams.close();
  });
});
