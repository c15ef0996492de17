import { describe, expect, it } from 'vitest';
import { ResumableStreams } from '../../../../src/providers/kubernetes/streams/resumable-streams.ts';
import { endOf, Pod } from '../streams/sidecar.ts';

/** Longer than a test takes. */
const LONG = 3600;

describe('a runner in a pool', () => {
  it('ends if no session claims it for as long as it waits', async () => {
    const options = { patienceSeconds: LONG, unclaimedSeconds: 0.3 };
    await using pod = await Pod.start(['cat'], options);
    expect(await endOf(pod.sidecar)).toBe(0);
    expect(await endOf(pod.runner)).toBe(0);
  });

  it('ends if a session claims it whose host never connects', async () => {
    const options = { patienceSeconds: 0.3, unclaimedSeconds: LONG };
    await using pod = await Pod.start(['cat'], options);
    await pod.claim('session-1');
    expect(await endOf(pod.sidecar)).toBe(0);
    expect(await endOf(pod.runner)).toBe(0);
  });

  it('ends without its host like any other, once it has had one', async () => {
    const options = { patienceSeconds: 0.3, unclaimedSeconds: LONG };
    await using pod = await Pod.start(['cat'], options);
    const connection = { open: pod.open, epoch: 1, patienceMs: 60_000, onEnd: () => {} };
    const streams = await ResumableStreams.connect(connection);
    streams.close();
    expect(await endOf(pod.sidecar)).toBe(0);
    expect(await endOf(pod.runner)).toBe(0);
  });
});
