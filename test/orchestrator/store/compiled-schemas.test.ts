import { expect, it } from 'vitest';
import type * as EntrySchema from '../../../src/orchestrator/store/entry-schema.ts';
import { LoopPauses } from '../../../src/shared/async/loop-pauses.ts';

/** Counts how often other work may go on. */
class CountedPauses extends LoopPauses {
  offered = 0;

  override next(): undefined {
    this.offered += 1;
  }
}

it('lets other work go on between the schemas of entries, which are compiled once', async () => {
  // A copy of the module, in which nothing is compiled yet.
  const copy = '../../../src/orchestrator/store/entry-schema.ts?copy';
  const { readEntry } = (await import(/* @vite-ignore */ copy)) as typeof EntrySchema;
  const entry = { type: 'run-ended', runId: 'a', occurredAtMs: 1 };
  const pauses = new CountedPauses();
  expect(await readEntry(entry, 0, pauses)).toEqual(entry);
  expect(pauses.offered).toBe(3);
  await readEntry(entry, 1, pauses);
  expect(pauses.offered).toBe(3);
});
