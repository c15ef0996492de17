import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/orchestrator/events/run-events.ts';
import { ApprovalQueue } from '../../src/tools/policy/approval-queue.ts';
import type { PolicyCall, PolicyRule } from '../../src/tools/policy/policy.ts';
import { converse, refusalOf, runs, says, uses } from './support.ts';

const pay = {
  name: 'bank:pay',
  description: 'Pays.',
  allowedCallers: ['code', 'direct'],
  inputSchema: {
    type: 'object',
    properties: { amount: { type: 'integer' } },
    required: ['amount'],
  },
  run: (input: unknown) => (input as { amount: number }).amount,
} as const;

describe('a policy', () => {
  it('is for direct calls as for those of code, and knows one from the other', async () => {
    const seen: PolicyCall[] = [];
    const rules: PolicyRule[] = [
      {
        tool: 'bank:*',
        when: (call) => {
          seen.push(call);
          return call.caller === 'direct';
        },
        action: 'deny',
        reason: 'only from code',
      },
    ];
    const { orchestrator, results } = converse(
      [[uses('bank_pay', { amount: 1 }, 'd1')], runs('print(await bank_pay(2))'), says('Done.')],
      { toolList: [pay], policy: { rules }, labels: { tenant: 'acme' } },
    );
    await orchestrator.run('Pay.');
    const denial = 'Denied: the policy denies it: only from code';
    expect(results(1)).toEqual([{ text: denial, isError: true }]);
    expect(results(2)).toEqual([{ text: '2', isError: false }]);
    const common = { toolName: 'bank:pay', labels: { tenant: 'acme' } };
    expect(seen).toMatchObject([
      { ...common, caller: 'direct', callId: 'd1', input: { amount: 1 }, sessionId: undefined },
      { ...common, caller: 'code', input: { amount: 2 }, sessionId: expect.any(String) },
    ]);
  });

  it('has direct calls wait for their approval, and tells of it', async () => {
    const events: RunEvent[] = [];
    const queue = new ApprovalQueue({
      onRequest: ({ id, caller }) => {
        if (caller === 'direct') queue.approve(id, { arguments: { amount: 7 } });
        else queue.reject(id, { reason: 'not in bulk' });
      },
    });
    const { orchestrator, results } = converse(
      [[uses('bank_pay', { amount: 1 }, 'd1')], runs('await bank_pay(2)'), says('Done.')],
      {
        toolList: [pay],
        policy: { rules: [{ tool: '*', action: 'ask' }], approver: queue },
      },
    );
    await orchestrator.run('Pay.', { onEvent: (event) => events.push(event) });
    expect(results(1)).toEqual([{ text: '7', isError: false }]);
    expect(results(2)).toMatchObject([
      { text: expect.stringContaining('not in bulk'), isError: true },
    ]);
    const told = events.flatMap((event) => {
      if (event.type === 'approval-requested')
        return [`${event.caller} ${event.toolName} requested`];
      return event.type === 'approval-decided'
        ? [`${event.caller} ${event.toolName} ${event.decision}`]
        : [];
    });
    expect(told).toEqual([
      'direct bank:pay requested',
      'direct bank:pay approved',
      'code bank:pay requested',
      'code bank:pay rejected',
    ]);
  });

  it('tells of a request all that is needed to show it, and to decide it elsewhere', async () => {
    const queue = new ApprovalQueue();
    const { orchestrator, results } = converse(
      [runs('print(await bank_pay(2))'), [uses('bank_pay', { amount: 1 })], says('Done.')],
      {
        toolList: [pay],
        policy: { rules: [{ tool: '*', action: 'ask', reason: 'money' }], approver: queue },
      },
    );
    const asked: unknown[] = [];
    const approved: boolean[] = [];
    await orchestrator.run('Pay.', {
      onEvent: (event) => {
        if (event.type !== 'approval-requested') return;
        const { requestId, expiresAtMs, reason } = event;
        asked.push({ arguments: event.arguments, reason, isOpen: expiresAtMs > Date.now() });
        // It waits in the queue from the next moment on, as when a page has been drawn.
        setImmediate(() => approved.push(queue.approve(requestId)));
      },
    });
    expect(asked).toEqual([
      { arguments: { amount: 2 }, reason: 'money', isOpen: true },
      { arguments: { amount: 1 }, reason: 'money', isOpen: true },
    ]);
    expect(approved).toEqual([true, true]);
    expect(results(1)).toEqual([{ text: '2', isError: false }]);
    expect(results(2)).toEqual([{ text: '1', isError: false }]);
  });

  it('has at most ten direct calls of a run wait for their approval at a time [host/open-approvals]', async () => {
    let open = 0;
    let mostAtOnce = 0;
    const approver = async (): Promise<{ approved: true }> => {
      open += 1;
      mostAtOnce = Math.max(mostAtOnce, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return { approved: true };
    };
    const calls = Array.from({ length: 15 }, (_, index) =>
      uses('bank_pay', { amount: index }, `d${index}`),
    );
    const { orchestrator, results } = converse([calls, says('Done.')], {
      toolList: [pay],
      policy: { rules: [{ tool: '*', action: 'ask' }], approver },
    });
    await orchestrator.run('Pay.');
    expect(mostAtOnce).toBe(10);
    expect(results(1)).toEqual(calls.map((_, index) => ({ text: String(index), isError: false })));
  });

  it('takes a request back where the run is aborted', async () => {
    const stop = new AbortController();
    const queue = new ApprovalQueue({ onRequest: () => stop.abort() });
    const { orchestrator } = converse([[uses('bank_pay', { amount: 1 })], says('Done.')], {
      toolList: [pay],
      policy: { rules: [{ tool: '*', action: 'ask' }], approver: queue },
    });
    const error = await refusalOf(orchestrator.run('Pay.', { signal: stop.signal }));
    expect(error.code).toBe('ABORTED');
    expect(queue.pending).toEqual([]);
  });

  it.each([
    ['policy', { policy: { rules: [{ tool: 'bank_pay', action: 'deny' }] } }, /"bank:pay"/],
    ['labels', { labels: { tenant: 1 } as unknown as Record<string, string> }, /labels\.tenant/],
  ] as const)('with %s that cannot be used refuses to be made', (_, options, message) => {
    expect(() => converse([], { toolList: [pay], ...options })).toThrow(message);
  });
});
