import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDeferred } from '../../../src/shared/async/deferred.ts';
import { ApprovalQueue } from '../../../src/tools/policy/approval-queue.ts';
import type {
  ApprovalBatch,
  BatchDecision,
} from '../../../src/tools/policy/batches/approval-batch.ts';
import { ApprovalGrants } from '../../../src/tools/policy/grants/approval-grants.ts';
import type { PolicyOptions } from '../../../src/tools/policy/policy-gate.ts';
import { Till } from '../../execution/batches/till.ts';

const ALL = { others: { approved: true } } as const;

interface Desk {
  readonly till: Till;
  readonly queue: ApprovalQueue;
  readonly batch: ApprovalBatch;
  /** The ids of its requests. */
  readonly ids: readonly string[];
}

/** A program that waits for a decision about three calls. */
async function openDesk(policy: Partial<PolicyOptions> = {}): Promise<Desk> {
  const asked = createDeferred<ApprovalBatch>();
  const queue = new ApprovalQueue({
    onBatch: (batch) => asked.resolve(batch),
  });
  const till = new Till({
    rules: [
      { tool: 'pay', when: ({ input }) => Number(input['amount']) > 100, action: 'deny' },
      { tool: 'pay', action: 'ask', group: 'program' },
    ],
    approver: queue,
    ...policy,
  });
  onTestFinished(async () => {
    till.runner.end();
    await till.ended;
  });
  till.pay(1, 2, 3);
  till.waits();
  const batch = await asked.promise;
  return { till, queue, batch, ids: batch.requests.map(({ id }) => id) };
}

describe('a queue of batches', () => {
  it('lists the batches that wait, and decides each call', async () => {
    const { till, queue, batch, ids } = await openDesk();
    expect(queue.pendingBatches).toEqual([batch]);
    expect(queue.pending).toEqual([]);
    const [first = '', second = ''] = ids;
    queue.decideBatch(batch.id, {
      calls: {
        [first]: { approved: true, arguments: { amount: 10 } },
        [second]: { approved: false, reason: 'not this one' },
      },
      ...ALL,
    });
    expect(queue.pendingBatches).toEqual([]);
    await till.answered(3);
    expect(till.results).toEqual({ p1: '1', p2: 'Rejected', p3: '2' });
    expect(till.paid).toEqual([{ amount: 10 }, { amount: 3 }]);
  });

  it('tells the second person who decides', async () => {
    const { queue, batch } = await openDesk();
    queue.decideBatch(batch.id, ALL);
    expect(() =>
      queue.decideBatch(batch.id, { others: { approved: false, reason: 'no' } }),
    ).toThrow(
      expect.objectContaining({
        code: 'APPROVAL_NOT_OPEN',
        details: { id: batch.id, state: 'decided' },
        message: expect.stringContaining('it was decided already'),
      }),
    );
  });

  it('knows no batch of another queue', async () => {
    const { batch } = await openDesk();
    expect(() => new ApprovalQueue().decideBatch(batch.id, ALL)).toThrow(
      expect.objectContaining({
        code: 'APPROVAL_NOT_OPEN',
        details: { id: batch.id, state: 'unknown' },
      }),
    );
  });

  it.each([undefined, 1n])('says of %s, which is not an id, that there is no such batch', (id) => {
    expect(() => new ApprovalQueue().decideBatch(id as unknown as string, ALL)).toThrow(
      expect.objectContaining({ code: 'APPROVAL_NOT_OPEN' }),
    );
  });

  it('says that a batch has expired', async () => {
    const { till, queue, batch } = await openDesk({ approvalTimeoutMs: 1 });
    await till.answered(3);
    expect(till.results).toEqual({ p1: 'Rejected', p2: 'Rejected', p3: 'Rejected' });
    expect(queue.pendingBatches).toEqual([]);
    expect(() => queue.decideBatch(batch.id, ALL)).toThrow(
      expect.objectContaining({ details: { id: batch.id, state: 'ended' } }),
    );
  });

  it('says that the program of a batch has ended', async () => {
    const { till, queue, batch } = await openDesk();
    till.runner.end();
    await till.ended;
    expect(() => queue.decideBatch(batch.id, ALL)).toThrow(
      expect.objectContaining({ details: { id: batch.id, state: 'ended' } }),
    );
  });

  it.each<[string, (ids: readonly string[]) => unknown, string]>([
    ['nothing', () => ({}), 'others'],
    ['only some calls', ([one = '']) => ({ calls: { [one]: { approved: true } } }), 'others'],
    ['a call of another batch', () => ({ ...ALL, calls: { other: { approved: true } } }), 'calls'],
    ['what is not a decision', ([one = '']) => ({ ...ALL, calls: { [one]: 'yes' } }), 'calls'],
    ['a rejection without a reason', () => ({ others: { approved: false } }), 'reason'],
    ['an edit of all calls', () => ({ others: { approved: true, arguments: {} } }), 'arguments'],
    [
      'a misspelt name',
      ([one = '']) => ({ ...ALL, calls: { [one]: { approved: true, args: {} } } }),
      'args',
    ],
    [
      'arguments that do not fit the schema',
      ([one = '']) => ({
        ...ALL,
        calls: { [one]: { approved: true, arguments: { amount: 'x' } } },
      }),
      'arguments',
    ],
    [
      'arguments that a rule denies',
      ([one = '']) => ({
        ...ALL,
        calls: { [one]: { approved: true, arguments: { amount: 101 } } },
      }),
      'arguments',
    ],
  ])('refuses %s, and the batch still waits', async (_, decisionFor, option) => {
    const { till, queue, batch, ids } = await openDesk();
    expect(() => queue.decideBatch(batch.id, decisionFor(ids) as BatchDecision)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining(option) }),
    );
    expect(queue.pendingBatches).toEqual([batch]);
    queue.decideBatch(batch.id, ALL);
    await till.answered(3);
    expect(till.paid).toHaveLength(3);
  });
});

describe('a grant with the decision about a batch', () => {
  it('is kept for the tool that it names', async () => {
    const grants = new ApprovalGrants();
    const { till, queue, batch } = await openDesk({ grants });
    queue.decideBatch(batch.id, ALL, { grant: { toolName: 'pay', calls: 5 } });
    await till.answered(3);
    expect(grants.active).toMatchObject([{ toolName: 'pay', callsLeft: 5, until: 'program' }]);
  });

  const rejectFirst = ([one = '']: readonly string[]): BatchDecision => ({
    ...ALL,
    calls: { [one]: { approved: false, reason: 'no' } },
  });

  it.each<[string, object, (ids: readonly string[]) => BatchDecision]>([
    ['for a tool that is not there', { toolName: 'gone', calls: 1 }, () => ALL],
    ['for a tool whose calls are not in the batch', { toolName: 'send', calls: 1 }, () => ALL],
    ['without a tool', { calls: 1 }, () => ALL],
    ['for too many calls', { toolName: 'pay', calls: 10_001 }, () => ALL],
    [
      'that covers no call of the batch',
      { toolName: 'pay', calls: 1, fields: { amount: 9 } },
      () => ALL,
    ],
    ['that covers a call which is rejected', { toolName: 'pay', calls: 1 }, rejectFirst],
    [
      'for calls that are all rejected',
      { toolName: 'pay', calls: 1 },
      () => ({ others: { approved: false, reason: 'no' } }),
    ],
  ])('%s is refused, and the batch still waits', async (_, grant, decisionFor) => {
    const grants = new ApprovalGrants();
    const { till, queue, batch, ids } = await openDesk({ grants });
    const options = { grant } as Parameters<ApprovalQueue['decideBatch']>[2];
    expect(() => queue.decideBatch(batch.id, decisionFor(ids), options)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    );
    expect(grants.active).toEqual([]);
    queue.decideBatch(batch.id, ALL);
    await till.answered(3);
  });

  it('is refused if the policy keeps none', async () => {
    const { queue, batch } = await openDesk();
    expect(() =>
      queue.decideBatch(batch.id, ALL, { grant: { toolName: 'pay', calls: 5 } }),
    ).toThrow(/has no `grants`/);
    queue.decideBatch(batch.id, ALL);
  });
});

describe('a function that decides batches', () => {
  async function results(askBatch: () => Promise<unknown>): Promise<Till['results']> {
    const till = new Till({
      approver: {
        ask: async () => ({ approved: false, reason: 'alone' }),
        askBatch: askBatch as () => Promise<BatchDecision>,
      },
    });
    till.pay(1, 2);
    till.waits();
    await till.answered(2);
    till.runner.end();
    await till.ended;
    return till.results;
  }

  it.each([
    ['throws', async () => Promise.reject(new Error('secret'))],
    ['returns nothing', async () => undefined],
    ['decides only a part', async () => ({})],
  ])('and %s rejects all, and warns', async (_, askBatch) => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warning.mockRestore());
    expect(await results(askBatch)).toEqual({ p1: 'Rejected', p2: 'Rejected' });
    expect(warning).toHaveBeenCalledOnce();
  });
});

describe('a rule with a group', () => {
  it.each([
    ['another value', { action: 'ask', group: 'run' }],
    ['the action allow', { action: 'allow', group: 'program' }],
    ['the action deny', { action: 'deny', group: 'program' }],
  ])('is refused with %s', (_, rule) => {
    expect(() => new Till({ rules: [{ tool: 'pay', ...rule } as never] })).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: expect.stringContaining('group'),
      }),
    );
  });
});
