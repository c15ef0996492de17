import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/orchestrator/events/run-events.ts';
import { converse, says } from './support.ts';

test('runs tell that they have begun before one of them asks its model', async () => {
  const told: string[] = [];
  const onEvent = ({ type }: RunEvent): void => {
    if (type === 'run-started') told.push('begun');
  };
  const answer = (): ReturnType<typeof says> => {
    told.push('asked');
    return says('Yes.');
  };
  const begin = async (): Promise<void> => {
    const { orchestrator } = converse([answer]);
    // As requests that a server finds waiting: one after the other, before anything else.
    await setImmediate();
    await orchestrator.run('Are you there?', { onEvent });
  };
  await Promise.all([begin(), begin(), begin()]);
  expect(told).toEqual(['begun', 'begun', 'begun', 'asked', 'asked', 'asked']);
});
