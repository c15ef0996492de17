import { onTestFinished, vi } from 'vitest';
import { holdName } from '../../../src/shared/held-names/held-name.ts';

/**
 * Waits until no other test sweeps, and keeps them from it until this test is over: a sweep removes
 * the orphans of all, and each of these tests wants to see its own removed.
 */
export async function sweepAlone(): Promise<void> {
  const lock = await vi.waitUntil(async () => holdName('test-sweep'), {
    // As long as a test may take: on a busy machine, others sweep for minutes.
    timeout: 900_000,
    interval: 50,
  });
  onTestFinished(() => lock.release());
}
