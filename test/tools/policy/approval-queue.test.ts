import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApprovalQueue } from '../../../src/tools/policy/approval-queue.ts';
import {
  approvalRequest,
  askApprover,
  type ApprovalEnd,
  type Approver,
} from '../../../src/tools/policy/approval.ts';
import type { ApprovalRequest } from '../../../src/tools/policy/approval-request.ts';

const call = {
  toolName: 'mail',
  arguments: { to: 'a@example.org' },
  caller: 'code',
  callId: 'c1',
  sessionId: 's1',
  labels: { tenant: 'acme' },
  annotations: {},
} as const;

afterEach(() => {
  vi.restoreAllMocks();
});

/** What the process is warned of, which is not shown. */
function watchWarnings(): () => string {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  return () => warned.mock.calls.map(([warning]) => String(warning)).join('\n');
}

interface Asked {
  readonly request: ApprovalRequest;
  readonly end: Promise<ApprovalEnd>;
  readonly run: AbortController;
}

function ask(approver: Approver, timeoutMs = 60_000, sent: unknown = call.arguments): Asked {
  const request = approvalRequest(
    { ...call, arguments: sent },
    { reason: 'it sends', canGrant: false, timeoutMs },
  );
  const run = new AbortController();
  const end = askApprover(approver, request, { sent, timeoutMs, signal: run.signal });
  return { request, run, end };
}

describe('a queue of approvals', () => {
  it('shows what waits, the oldest first, and tells of each', async () => {
    const told: string[] = [];
    const queue = new ApprovalQueue({
      onRequest: ({ id }) => {
        expect(queue.pending.map((one) => one.id)).toContain(id);
        told.push(id);
      },
    });
    const before = Date.now();
    const first = ask(queue, 5000);
    const second = ask(queue);
    const [shown] = queue.pending;
    expect(shown).toMatchObject({ ...call, reason: 'it sends', id: first.request.id });
    expect(shown?.requestedAtMs).toBeGreaterThanOrEqual(before);
    expect(shown?.expiresAtMs).toBe((shown?.requestedAtMs ?? 0) + 5000);
    expect(told).toEqual([first.request.id, second.request.id]);
    expect(queue.approve(first.request.id)).toBe(true);
    expect(queue.pending.map(({ id }) => id)).toEqual([second.request.id]);
    expect(queue.reject(second.request.id, { reason: 'not today' })).toBe(true);
    expect(queue.pending).toEqual([]);
    expect(await first.end).toEqual({
      decision: 'approved',
      arguments: call.arguments,
      edited: false,
    });
    expect(await second.end).toEqual({ decision: 'rejected', reason: 'not today' });
  });

  it('gives the arguments as they were edited', async () => {
    const queue = new ApprovalQueue();
    const { request, end } = ask(queue);
    queue.approve(request.id, { arguments: { to: 'b@example.org' } });
    expect(await end).toEqual({
      decision: 'approved',
      arguments: { to: 'b@example.org' },
      edited: true,
    });
  });

  it('keeps a call waiting if its approval has an option by another name', () => {
    const queue = new ApprovalQueue();
    const { request } = ask(queue);
    const misspelt = { argument: { to: 'b@example.org' } } as never;
    expect(() => queue.approve(request.id, misspelt)).toThrow(
      'approve has no option argument. Did you mean arguments? See docs/policy.md.',
    );
    expect(queue.pending).toHaveLength(1);
    expect(queue.reject(request.id, { reason: 'no' })).toBe(true);
  });

  it('keeps a call waiting if its rejection has no reason', () => {
    const queue = new ApprovalQueue();
    const { request } = ask(queue);
    expect(() => queue.reject(request.id, {} as never)).toThrow(
      'reject needs the option reason. See docs/policy.md.',
    );
    expect(() => queue.reject(request.id, 'no' as never)).toThrow('reject');
    expect(queue.pending).toHaveLength(1);
  });

  it('lets one decision of several count, and says which', async () => {
    const queue = new ApprovalQueue();
    const { request, end } = ask(queue);
    const counted = [
      queue.reject(request.id, { reason: 'first' }),
      queue.approve(request.id),
      queue.reject(request.id, { reason: 'third' }),
    ];
    expect(counted).toEqual([true, false, false]);
    expect(await end).toEqual({ decision: 'rejected', reason: 'first' });
    expect(queue.approve(request.id)).toBe(false);
    expect(queue.approve('never asked')).toBe(false);
  });

  it('forgets a request that expires, which is then rejected with that reason', async () => {
    const queue = new ApprovalQueue();
    const { request, end } = ask(queue, 5);
    expect(queue.pending).toHaveLength(1);
    expect(await end).toEqual({ decision: 'expired', reason: 'nobody decided within 5 ms' });
    expect(queue.pending).toEqual([]);
    expect(queue.approve(request.id)).toBe(false);
  });

  it('forgets a request whose run ends', async () => {
    const queue = new ApprovalQueue();
    const { request, end, run } = ask(queue);
    run.abort();
    expect(queue.pending).toEqual([]);
    expect(queue.approve(request.id)).toBe(false);
    expect(await end).toMatchObject({ decision: 'cancelled' });
  });

  it('never has a request of a run that was over before', async () => {
    const told: string[] = [];
    const queue = new ApprovalQueue({ onRequest: ({ id }) => told.push(id) });
    const request = approvalRequest(
      { ...call, arguments: {} },
      { reason: undefined, canGrant: false, timeoutMs: 1000 },
    );
    const end = askApprover(queue, request, {
      sent: {},
      timeoutMs: 1000,
      signal: AbortSignal.abort(),
    });
    expect(await end).toMatchObject({ decision: 'cancelled' });
    expect(queue.pending).toEqual([]);
    expect(told).toEqual([]);
  });

  it('goes on where its listener throws', async () => {
    const warnings = watchWarnings();
    const queue = new ApprovalQueue({
      onRequest: () => {
        throw new Error('no screen');
      },
    });
    const { request, end } = ask(queue);
    expect(warnings()).toContain('no screen');
    expect(queue.approve(request.id)).toBe(true);
    expect(await end).toMatchObject({ decision: 'approved' });
  });
});

describe('an approver', () => {
  it('has its signal fire when nobody waits any more, and not before', async () => {
    for (const timeoutMs of [5, 60_000]) {
      let signal: AbortSignal | undefined;
      const { end, run } = ask(async (_request, options) => {
        ({ signal } = options);
        return new Promise(() => {});
      }, timeoutMs);
      expect(signal?.aborted).toBe(false);
      if (timeoutMs > 5) run.abort();
      expect((await end).decision).toBe(timeoutMs > 5 ? 'cancelled' : 'expired');
      expect(signal?.aborted).toBe(true);
    }
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('secret path');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('secret path'))],
    ['gives nothing', async () => undefined],
    ['gives a truthy approval', async () => ({ approved: 'yes' })],
    ['gives true', async () => true],
    ['edits by another word', async () => ({ approved: true, args: { to: 'b@example.org' } })],
    [
      'gives what cannot be read',
      async () => ({
        get approved() {
          throw new Error('secret path');
        },
      }),
    ],
  ])('that %s has not approved, and the caller does not learn why', async (_, approver) => {
    const warnings = watchWarnings();
    const { end } = ask(approver as unknown as Approver);
    expect(await end).toEqual({ decision: 'rejected', reason: 'the approver failed' });
    expect(warnings()).toMatch(/approver/i);
  });

  it('may say more than the decision, such as who made it', async () => {
    const { end } = ask(async () => ({ approved: true, by: 'Ann', seconds: 3 }));
    expect(await end).toMatchObject({ decision: 'approved', edited: false });
  });

  it('leaves no listener on the signal of its run', async () => {
    const { end, run } = ask(async () => ({ approved: true }));
    let listeners = 0;
    const { signal } = run;
    const remove = signal.removeEventListener.bind(signal);
    signal.removeEventListener = (...args: Parameters<typeof remove>): void => {
      listeners -= 1;
      remove(...args);
    };
    expect((await end).decision).toBe('approved');
    expect(listeners).toBe(-1);
  });
});
