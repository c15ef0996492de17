import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ResumableStreams } from '../../../../src/providers/kubernetes/streams/resumable-streams.ts';
import { createDeferred } from '../../../../src/shared/async/deferred.ts';
import { connect, optionsFor } from './connect.ts';
import { WELCOME } from './sidecar-packet.ts';
import { SlowSidecar } from './slow-sidecar.ts';

const PINGS_MS = 20_000;

describe('a connection that the sidecar has not accepted yet', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  it('is closed if the caller gives up, so that the sidecar has no host', async () => {
    const sidecar = new SlowSidecar();
    const controller = new AbortController();
    const { options } = optionsFor(sidecar.open);
    const connected = ResumableStreams.connect(options, controller.signal);
    const listener = await sidecar.greeted.promise;
    const reason = new Error('nobody waits');
    controller.abort(reason);
    await expect(connected).rejects.toBe(reason);
    listener.data(WELCOME);
    vi.advanceTimersByTime(PINGS_MS);
    expect(sidecar.seen).toEqual(['H', 'closed']);
  });

  it('is closed without a word if the caller gives up as it opens', async () => {
    const controller = new AbortController();
    const sidecar = new SlowSidecar(() => controller.abort());
    const { options } = optionsFor(sidecar.open);
    await expect(ResumableStreams.connect(options, controller.signal)).rejects.toBeDefined();
    await expect.poll(() => sidecar.seen).toEqual(['closed']);
    vi.advanceTimersByTime(PINGS_MS);
    expect(sidecar.seen).toEqual(['closed']);
  });

  it('is closed with the streams that connect again', async () => {
    const sidecar = new SlowSidecar();
    const connecting = connect(sidecar.open);
    const first = await sidecar.greeted.promise;
    first.data(WELCOME);
    const { streams } = await connecting;
    sidecar.greeted = createDeferred();
    first.closed(undefined);
    const second = await sidecar.greeted.promise;
    sidecar.seen.length = 0;
    streams.close();
    second.data(WELCOME);
    vi.advanceTimersByTime(PINGS_MS);
    expect(sidecar.seen).toEqual(['closed']);
  });
});
