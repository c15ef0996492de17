import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ProgramRequest } from '../../../src/execution/program-request.ts';
import { ApprovalQueue } from '../../../src/tools/policy/approval-queue.ts';
import { ApprovalGrants } from '../../../src/tools/policy/grants/approval-grants.ts';
import type { PolicyOptions } from '../../../src/tools/policy/policy-gate.ts';
import { Till } from '../../execution/batches/till.ts';

const ALL = { others: { approved: true } } as const;

/** A program that waits for a decision about calls with these amounts. */
function openTill(
  policy: Partial<PolicyOptions>,
  amounts: readonly number[],
  changes: Partial<ProgramRequest> = {},
): Till {
  const till = new Till(policy, changes);
  onTestFinished(async () => {
    till.runner.end();
    await till.ended;
  });
  till.pay(...amounts);
  till.waits();
  return till;
}

function giveUp({ runner }: Till, amount: number): void {
  runner.say({ kind: 'call-given-up', execution_id: '1', call_id: `p${amount}` });
}

describe('a grant for calls of which the program gives some up', () => {
  const open = async (count: number, changes?: Partial<ProgramRequest>) => {
    const [queue, grants] = [new ApprovalQueue(), new ApprovalGrants()];
    const amounts = Array.from({ length: count }, (_, index) => index + 1);
    const till = openTill({ approver: queue, grants }, amounts, changes);
    await expect.poll(() => queue.pendingBatches[0]?.requests.length).toBe(count);
    return { till, queue, grants, id: queue.pendingBatches[0]?.id ?? '' };
  };

  it('comes with the first call that still waits', async () => {
    const { till, queue, grants, id } = await open(3);
    giveUp(till, 1);
    await till.answered(1);
    queue.decideBatch(id, ALL, { grant: { toolName: 'pay', calls: 5 } });
    await till.answered(3);
    expect(till.paid).toEqual([{ amount: 2 }, { amount: 3 }]);
    expect(grants.active).toMatchObject([{ toolName: 'pay', callsLeft: 5 }]);
    const decided = till.events.filter(({ type }) => type === 'approval-decided');
    expect(decided).toMatchObject([
      { callId: 'p2', decision: 'approved', grantId: grants.active[0]?.id },
      { callId: 'p3', decision: 'approved', grantId: undefined },
    ]);
  });

  it('counts if the only call that it covers is given up while others are answered', async () => {
    const last = 300;
    const { till, queue, grants, id } = await open(last, {
      onEvent: (event) => {
        if (event.type === 'approval-decided' && event.callId === 'p1') giveUp(till, last);
      },
    });
    const grant = { toolName: 'pay', calls: 5, fields: { amount: last } };
    queue.decideBatch(id, ALL, { grant });
    await till.answered(last);
    expect(grants.active).toMatchObject([{ callsLeft: 5 }]);
  });

  it('is refused if no call that it covers waits any more, and the batch still waits', async () => {
    const { till, queue, grants, id } = await open(3);
    giveUp(till, 1);
    await till.answered(1);
    const grant = { toolName: 'pay', calls: 5, fields: { amount: 1 } };
    expect(() => queue.decideBatch(id, ALL, { grant })).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: expect.stringContaining('The program has given up the approved calls'),
      }),
    );
    queue.decideBatch(id, ALL);
    await till.answered(3);
    expect(till.paid).toEqual([{ amount: 2 }, { amount: 3 }]);
    expect(grants.active).toEqual([]);
  });

  it('of a function is left out with a warning if no such call waits, and the calls are decided', async () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warning.mockRestore());
    const grants = new ApprovalGrants();
    const till = openTill({ grants }, [1, 2]);
    const { decide } = await till.nextBatch();
    giveUp(till, 1);
    await till.answered(1);
    decide({ ...ALL, grant: { toolName: 'pay', calls: 5, fields: { amount: 1 } } });
    await till.answered(2);
    expect(till.paid).toEqual([{ amount: 2 }]);
    expect(grants.active).toEqual([]);
    expect(warning).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining('A grant for the calls of a program was not given'),
    );
  });
});
