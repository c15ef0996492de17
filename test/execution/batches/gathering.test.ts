import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApprovalGrants } from '../../../src/tools/policy/grants/approval-grants.ts';
import { outcome, toolCall } from '../../support/fake-runner.ts';
import { amountsOf, Till } from './till.ts';

const ALL = { others: { approved: true } } as const;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
}

describe('calls of a program that wait at the same time', () => {
  it('are one request, with the program and each call, and each is decided on its own', async () => {
    const till = new Till();
    till.pay(1, 2);
    till.call('s', 'send', { amount: 3 }, 7);
    till.waits();
    const { batch, decide } = await till.nextBatch();
    expect(batch).toMatchObject({
      program: { language: 'python', code: 'the program', purpose: 'I pay.' },
      canGrant: false,
      requests: [
        { number: 1, toolName: 'pay', callId: 'p1', arguments: { amount: 1 }, reason: 'money' },
        { number: 2, toolName: 'pay', callId: 'p2', arguments: { amount: 2 }, line: undefined },
        { number: 3, toolName: 'send', callId: 's', arguments: { amount: 3 }, line: 7 },
      ],
    });
    expect(batch.expiresAtMs - batch.requestedAtMs).toBe(300_000);
    const [first, second] = batch.requests;
    decide({
      calls: {
        [first?.id ?? '']: { approved: false, reason: 'not this one' },
        [second?.id ?? '']: { approved: true, arguments: { amount: 20 } },
      },
      others: { approved: true },
    });
    await till.answered(3);
    expect(till.results).toEqual({ p1: 'Rejected', p2: '1', s: '2' });
    expect(till.paid).toEqual([{ amount: 20 }, { amount: 3 }]);
    const place = (number: number): object => ({ batch: { id: batch.id, number, calls: 3 } });
    expect(till.events.filter(({ type }) => type.startsWith('approval'))).toMatchObject([
      { type: 'approval-requested', callId: 'p1', requestId: first?.id, ...place(1) },
      { type: 'approval-requested', callId: 'p2', ...place(2) },
      { type: 'approval-requested', callId: 's', ...place(3) },
      { type: 'approval-decided', callId: 'p1', decision: 'rejected', reason: 'not this one' },
      { type: 'approval-decided', callId: 'p2', decision: 'approved', arguments: { amount: 20 } },
      { type: 'approval-decided', callId: 's', decision: 'approved' },
    ]);
    till.runner.say(outcome());
    expect(await till.ended).toMatchObject({ status: 'ok' });
  });

  it('are asked although other calls still run', async () => {
    const till = new Till();
    till.runner.say(toolCall('hangs', 'hang', {}));
    till.pay(1);
    till.waits();
    expect(amountsOf(await till.nextBatch())).toEqual([1]);
    till.runner.end();
    await till.ended;
  });

  it('are in one batch although only two can be handled at a time', async () => {
    const till = new Till({}, {}, { concurrentToolCalls: 2 });
    till.pay(1, 2, 3, 4, 5);
    till.waits();
    const asked = await till.nextBatch();
    expect(amountsOf(asked)).toEqual([1, 2, 3, 4, 5]);
    asked.decide(ALL);
    await till.answered(5);
    expect(till.paid).toHaveLength(5);
    till.runner.end();
    await till.ended;
  });

  it('are asked one by one if the approver decides only single calls', async () => {
    const asked: string[] = [];
    const till = new Till({
      approver: async ({ callId }) => {
        asked.push(callId);
        return { approved: true };
      },
    });
    expect(till.runner.received.at(-1)).not.toHaveProperty('tell_waiting');
    till.pay(1, 2);
    await till.answered(2);
    expect(till.results).toEqual({ p1: '1', p2: '2' });
    expect(asked).toEqual(['p1', 'p2']);
    till.runner.end();
    await till.ended;
  });

  it('expire together, and the program goes on', async () => {
    useFakeTimers();
    const till = new Till({ approvalTimeoutMs: 1000 }, { timeoutMs: 900 });
    till.pay(1, 2);
    till.waits();
    const { signal, decide } = await till.nextBatch();
    await vi.advanceTimersByTimeAsync(1000);
    expect(signal.aborted).toBe(true);
    expect(till.results).toEqual({ p1: 'Rejected', p2: 'Rejected' });
    expect(till.events.at(-1)).toMatchObject({ type: 'tool-call-ended' });
    const decided = till.events.filter(({ type }) => type === 'approval-decided');
    expect(decided).toMatchObject([{ decision: 'expired' }, { decision: 'expired' }]);
    decide(ALL);
    till.runner.say(outcome());
    expect(await till.ended).toMatchObject({ status: 'ok' });
    expect(till.paid).toEqual([]);
  });

  it('that the program gives up are not waited for', async () => {
    const till = new Till();
    till.pay(1, 2);
    till.waits();
    const { decide, signal } = await till.nextBatch();
    till.runner.say({ kind: 'call-given-up', execution_id: '1', call_id: 'p1' });
    await till.answered(1);
    expect(till.results).toEqual({ p1: 'Cancelled' });
    expect(signal.aborted).toBe(false);
    decide(ALL);
    await till.answered(2);
    expect(till.results).toMatchObject({ p2: '1' });
    expect(till.paid).toEqual([{ amount: 2 }]);
    till.runner.end();
    await till.ended;
  });

  it('are not waited for any more when their program ends', async () => {
    const till = new Till();
    till.pay(1, 2);
    till.waits();
    const { signal } = await till.nextBatch();
    till.runner.say(outcome());
    await till.ended;
    expect(signal.aborted).toBe(true);
    expect(till.paid).toEqual([]);
  });

  it('of a program that ends first are never shown', async () => {
    useFakeTimers();
    const till = new Till();
    till.pay(1);
    await vi.advanceTimersByTimeAsync(2999);
    till.runner.say(outcome());
    await vi.advanceTimersByTimeAsync(1);
    await till.ended;
    expect(till.asked).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are checked by rules that deny, and only the others are asked', async () => {
    const till = new Till({
      rules: [
        { tool: 'pay', when: ({ input }) => input['amount'] === 2, action: 'deny', reason: 'no' },
        { tool: 'pay', action: 'ask', group: 'program' },
      ],
    });
    till.pay(1, 2, 3);
    till.waits();
    const asked = await till.nextBatch();
    expect(amountsOf(asked)).toEqual([1, 3]);
    const [first] = asked.batch.requests;
    asked.decide({
      calls: { [first?.id ?? '']: { approved: true, arguments: { amount: 2 } } },
      others: { approved: true },
    });
    await till.answered(3);
    expect(till.results).toEqual({ p1: 'Rejected', p2: 'Denied', p3: '1' });
    till.runner.end();
    await till.ended;
  });

  it('are more than 1,000 in several batches, one after another', async () => {
    const till = new Till({}, { timeoutMs: 600_000 }, { toolCalls: 2000 });
    till.pay(...Array.from({ length: 1100 }).keys());
    till.waits();
    const first = await till.nextBatch();
    expect(first.batch.requests).toHaveLength(1000);
    expect(till.asked).toEqual([]);
    first.decide({ others: { approved: false, reason: 'no' } });
    await till.answered(1000);
    till.waits(1000);
    const second = await till.nextBatch();
    expect(amountsOf(second)).toHaveLength(100);
    second.decide(ALL);
    await till.answered(1100);
    expect(till.paid).toHaveLength(100);
    till.runner.end();
    await till.ended;
  });

  it('with large arguments are in several batches [waiting/call-group]', async () => {
    const till = new Till();
    const text = 'x'.repeat(400_000);
    for (const id of ['a', 'b', 'c']) till.runner.say(toolCall(id, 'pay', { amount: 1, text }));
    till.waits();
    const first = await till.nextBatch();
    expect(first.batch.requests.map(({ callId }) => callId)).toEqual(['a', 'b']);
    first.decide(ALL);
    await till.answered(2);
    expect(till.results).toMatchObject({ a: '1', b: '2' });
    till.waits(2);
    const second = await till.nextBatch();
    expect(second.batch.requests.map(({ callId }) => callId)).toEqual(['c']);
    till.runner.end();
    await till.ended;
  });
});

describe('a hostile runner', () => {
  it('that says that its program waits, and goes on calling, only makes another batch', async () => {
    const till = new Till();
    till.pay(1);
    till.waits();
    const first = await till.nextBatch();
    till.pay(2, 3);
    till.waits();
    expect(amountsOf(first)).toEqual([1]);
    expect(till.asked).toEqual([]);
    first.decide(ALL);
    await till.answered(1);
    expect(till.results).toEqual({ p1: '1' });
    till.waits(1);
    const second = await till.nextBatch();
    expect(amountsOf(second)).toEqual([2, 3]);
    second.decide(ALL);
    await till.answered(3);
    expect(till.results).toMatchObject({ p2: '2', p3: '3' });
    till.runner.end();
    await till.ended;
  });

  it('that never says that its program waits has its calls asked when it was quiet for 3 s', async () => {
    useFakeTimers();
    const till = new Till({}, { timeoutMs: 60_000 });
    till.pay(1);
    await vi.advanceTimersByTimeAsync(2900);
    till.pay(2);
    await vi.advanceTimersByTimeAsync(2999);
    expect(till.asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    const asked = await till.nextBatch();
    expect(amountsOf(asked)).toEqual([1, 2]);
    asked.decide(ALL);
    await vi.advanceTimersByTimeAsync(0);
    till.runner.say(outcome());
    await till.ended;
  });
});

describe('a grant for calls of a batch', () => {
  it('is proposed from the second call of a line on, with what its calls have in common', async () => {
    const till = new Till({ grants: new ApprovalGrants() });
    till.call('a', 'pay', { amount: 1, to: 'Anna' }, 3);
    till.call('b', 'pay', { amount: 2, to: 'Anna' }, 3);
    till.call('c', 'pay', { amount: 5, to: 'Ben' }, 9);
    till.waits();
    const { batch } = await till.nextBatch();
    expect(batch.canGrant).toBe(true);
    expect(batch.proposals).toEqual([{ toolName: 'pay', calls: 4, fields: { to: 'Anna' } }]);
    till.runner.end();
    await till.ended;
  });

  it('covers later calls, and those that wait for the next batch', async () => {
    const grants = new ApprovalGrants();
    const till = new Till({ grants });
    till.pay(1, 2);
    till.waits();
    const { batch, decide } = await till.nextBatch();
    till.pay(3);
    const [grant] = batch.proposals;
    expect(grant).toEqual({ toolName: 'pay', calls: 4 });
    decide({ others: { approved: true }, ...(grant && { grant }) });
    await till.answered(2);
    till.waits(2);
    await till.answered(3);
    till.pay(4);
    await till.answered(4);
    expect(till.results).toEqual({ p1: '1', p2: '2', p3: '3', p4: '4' });
    expect(till.asked).toEqual([]);
    expect(grants.active).toMatchObject([{ toolName: 'pay', callsLeft: 2 }]);
    const decided = till.events.filter((event) => event.type === 'approval-decided');
    expect(decided.map(({ grantId }) => grantId)).toEqual([grants.active[0]?.id, undefined]);
    till.runner.end();
    await till.ended;
  });
});
