import { expect, it } from 'vitest';
import { outcome } from '../../support/fake-runner.ts';
import { amountsOf, Till } from './till.ts';

it('calls of a batch are in the order of the program, also if the first is large', async () => {
  const till = new Till();
  till.call('large', 'pay', { amount: 1, text: 'x'.repeat(200_000) }, 1);
  till.pay(2, 3);
  till.waits();
  const asked = await till.nextBatch();
  expect(amountsOf(asked)).toEqual([1, 2, 3]);
  asked.decide({ others: { approved: true } });
  await till.answered(3);
  till.runner.say(outcome());
  expect(await till.ended).toMatchObject({ status: 'ok' });
});
