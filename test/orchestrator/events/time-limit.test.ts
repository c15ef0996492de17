import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventsOf } from '../../../src/orchestrator/events/event-stream.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';

it('a stream whose caller gave only a time limit ends at it, also after memory was cleaned up', async () => {
  const events = eventsOf(async (_, signal) => {
    const aborted = once(signal, 'abort');
    await nextTurn();
    collectGarbage();
    await aborted;
    throw signal.reason;
  }, AbortSignal.timeout(100));
  await expect(events.next()).rejects.toMatchObject({ name: 'TimeoutError' });
});
