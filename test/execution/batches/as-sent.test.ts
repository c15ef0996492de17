import { expect, it } from 'vitest';
import { Till } from './till.ts';

it('calls that are decided together are recorded as they were sent, whatever the approver does with its copies', async () => {
  const till = new Till();
  till.pay(1, 2);
  till.waits();
  const { batch, decide } = await till.nextBatch();
  for (const { arguments: copy } of batch.requests) Object.assign(copy as object, { amount: 0 });
  decide({ others: { approved: true } });
  await till.answered(2);
  expect(till.paid).toEqual([{ amount: 1 }, { amount: 2 }]);
  expect(till.events.filter(({ type }) => type === 'approval-decided')).toMatchObject([
    { decision: 'approved', arguments: { amount: 1 } },
    { decision: 'approved', arguments: { amount: 2 } },
  ]);
  till.runner.end();
  await till.ended;
});
