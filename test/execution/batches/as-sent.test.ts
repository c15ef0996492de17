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

it('each call of a batch is decided, in the order of the program, although the approver empties or sorts its list', async () => {
  const till = new Till();
  till.pay(1, 2);
  till.waits();
  const first = await till.nextBatch();
  (first.batch.requests as unknown[]).length = 0;
  first.decide({ others: { approved: true } });
  await till.answered(2);
  till.pay(3, 4);
  till.waits(2);
  const second = await till.nextBatch();
  (second.batch.requests as unknown[]).reverse();
  second.decide({ others: { approved: true } });
  await till.answered(4);
  expect(till.paid).toEqual([{ amount: 1 }, { amount: 2 }, { amount: 3 }, { amount: 4 }]);
  till.runner.end();
  await till.ended;
});
