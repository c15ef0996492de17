import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { ExecutionEvent, ExecutionResult } from '../../src/execution/execution.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { printed, stoppedAt } from '../../src/testing/stopped-at.ts';
import { createDeferred, type Deferred } from '../../src/shared/async/deferred.ts';
import { ApprovalQueue } from '../../src/tools/policy/approval-queue.ts';
import type { ApprovalRequest } from '../../src/tools/policy/approval-request.ts';
import type { PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { describeWithEngine } from '../support/engine.ts';

interface Office {
  readonly executor: SandboxExecutor;
  readonly queue: ApprovalQueue;
  /** The next request that nobody took yet. */
  readonly asked: () => Promise<ApprovalRequest>;
  /** What the tool `pay` got. */
  readonly paid: unknown[];
  /** Settles when a program calls `look`, which needs no approval. */
  readonly looked: Promise<void>;
}

/** An executor in whose sandboxes `pay` needs an approval; rules that are given come before that. */
function openOffice(
  options: Omit<SandboxExecutorOptions, 'tools' | 'sandbox' | 'policy'> = {},
  { rules = [], ...policy }: Partial<PolicyOptions> = {},
): Office {
  const requests: ApprovalRequest[] = [];
  const waiting: Deferred<ApprovalRequest>[] = [];
  const paid: unknown[] = [];
  const looked = createDeferred<void>();
  const queue = new ApprovalQueue({
    onRequest: (request) => {
      const next = waiting.shift();
      if (next) next.resolve(request);
      else requests.push(request);
    },
  });
  const inputSchema = {
    type: 'object',
    properties: { to: { type: 'string' }, amount: { type: 'integer' } },
    required: ['to', 'amount'],
    additionalProperties: false,
  };
  const tools = new ToolRegistry([
    {
      name: 'pay',
      description: 'Pays.',
      inputSchema,
      timeoutMs: 400,
      run: (input: unknown) => {
        paid.push(input);
        return paid.length;
      },
    },
    { name: 'look', description: 'Looks.', run: () => looked.resolve() },
  ]);
  const ask = { tool: 'pay', action: 'ask', reason: 'money goes out' } as const;
  const executor = new SandboxExecutor({
    provider: 'docker',
    tools,
    policy: { rules: [...rules, ask], approver: queue, ...policy },
    ...options,
  });
  onTestFinished(async () => executor.close());
  const asked = async (): Promise<ApprovalRequest> => {
    const request = requests.shift();
    if (request) return request;
    const next = createDeferred<ApprovalRequest>();
    waiting.push(next);
    return next.promise;
  };
  return { executor, queue, asked, paid, looked: looked.promise };
}

const PAY = 'print(await pay(to="anna", amount=5))';
const CATCH = `try:
    await pay(to="anna", amount=5)
except ToolError as error:
    print(error.type, error.tool, error.message, sep="|")`;

const A_NUMBER = expect.stringMatching(/^\d+\n$/);
const isOk = ({ status }: ExecutionResult): boolean => status === 'ok';

/**
 * Returns a function that approves the call of a program after a time, unless its limit ends the
 * program before anybody is asked.
 */
function lateApprover({
  asked,
  queue,
}: Office): (waitMs: number, running: Promise<ExecutionResult>) => Promise<ExecutionResult> {
  let next: Promise<ApprovalRequest> | undefined;
  return async (waitMs, running) => {
    next ??= asked();
    const first = await Promise.race([next, running]);
    if ('status' in first) return first;
    next = undefined;
    await delay(waitMs);
    queue.approve(first.id);
    return running;
  };
}

describeWithEngine('a program whose call waits for an approval', () => {
  it('continues where it was, with its state, which stays for the next program [host/policy]', async () => {
    const { executor, queue, asked, paid } = openOffice();
    const session = await executor.acquire({ labels: { tenant: 'acme' } });
    const running = session.execute(
      'amount = 5\nnumber = await pay(to="anna", amount=amount)\nprint(amount, number)',
    );
    const request = await asked();
    expect(request).toMatchObject({
      toolName: 'pay',
      arguments: { to: 'anna', amount: 5 },
      caller: 'code',
      sessionId: session.id,
      labels: { tenant: 'acme' },
      reason: 'money goes out',
    });
    expect(await executor.sessionInfo({ id: session.id })).toMatchObject({ state: 'busy' });
    expect(paid).toEqual([]);
    expect(queue.approve(request.id)).toBe(true);
    expect(await running).toMatchObject({ status: 'ok', stdout: '5 1\n', toolCalls: 1 });
    expect(paid).toEqual([{ to: 'anna', amount: 5 }]);
    const next = await session.execute('print(amount + number)');
    expect(next.stdout).toBe('6\n');
  });

  it('waits longer than the limits of the program, the tool and an idle session, which count again afterwards', async () => {
    const office = openOffice({ sessionIdleTimeoutMs: 300, cleanupIntervalMs: 50 });
    const approvedAfter = lateApprover(office);
    const session = await office.executor.acquire();
    await session.execute('');
    const waited = await stoppedAt(isOk, async (timeoutMs) =>
      // Nothing but time can show that time does not count.
      approvedAfter(3 * timeoutMs, session.execute(PAY, { timeoutMs })),
    );
    expect(waited).toMatchObject({ status: 'ok', stdout: A_NUMBER, sessionOpen: true });
    const endless = await stoppedAt(printed('\n'), async (timeoutMs) =>
      approvedAfter(0, session.execute(`${PAY}\nwhile True: pass`, { timeoutMs })),
    );
    expect(endless).toMatchObject({ status: 'timeout', stdout: A_NUMBER });
  });

  it('is not stopped by its sandbox, which would otherwise do so 5 s after the limit [host/approval-time]', async () => {
    const office = openOffice();
    const approvedAfter = lateApprover(office);
    const waited = await stoppedAt(isOk, async (timeoutMs) =>
      approvedAfter(timeoutMs + 5300, office.executor.execute(PAY, { timeoutMs })),
    );
    expect(waited).toMatchObject({ status: 'ok', stdout: A_NUMBER });
  });

  it('calls the tool with the arguments that the approver edited', async () => {
    const { executor, queue, asked, paid } = openOffice();
    const running = executor.execute(PAY);
    queue.approve((await asked()).id, { arguments: { to: 'anna', amount: 1 } });
    expect(await running).toMatchObject({ status: 'ok' });
    expect(paid).toEqual([{ to: 'anna', amount: 1 }]);
  });

  it('gets a ToolError if edited arguments do not match the schema', async () => {
    const { executor, queue, asked, paid } = openOffice();
    const running = executor.execute(CATCH);
    queue.approve((await asked()).id, { arguments: { to: 'anna', amount: 'much' } });
    const { stdout } = await running;
    expect(stdout).toMatch(
      /^Rejected\|pay\|pay failed \(Rejected\): it was not approved: .*own arguments do not fit: .*amount/,
    );
    expect(paid).toEqual([]);
  });

  it('gets a ToolError with the reason if it is rejected [case 107]', async () => {
    const { executor, queue, asked, paid } = openOffice();
    const running = executor.execute(CATCH);
    queue.reject((await asked()).id, { reason: 'the budget is spent' });
    expect(await running).toMatchObject({
      status: 'ok',
      stdout: 'Rejected|pay|pay failed (Rejected): it was not approved: the budget is spent\n',
    });
    expect(paid).toEqual([]);
  });

  it('gets a ToolError if nobody decides in time [case 107]', async () => {
    const { executor, queue } = openOffice({}, { approvalTimeoutMs: 100 });
    expect(await executor.execute(CATCH)).toMatchObject({
      status: 'ok',
      stdout:
        'Rejected|pay|pay failed (Rejected): it was not approved: nobody decided within 100 ms\n',
    });
    expect(queue.pending).toEqual([]);
  });

  it('gets a ToolError at once if a rule denies it [case 107, host/policy]', async () => {
    const deny = { tool: 'p*', when: () => true, action: 'deny', reason: 'closed today' } as const;
    const { executor } = openOffice({}, { rules: [deny] });
    expect(await executor.execute(CATCH)).toMatchObject({
      status: 'ok',
      stdout: 'Denied|pay|pay failed (Denied): the policy denies it: closed today\n',
    });
  });

  it('can be aborted, which cancels the request and keeps the session', async () => {
    const { executor, queue, asked, paid } = openOffice();
    const stop = new AbortController();
    const session = await executor.acquire();
    const running = session.execute(`kept = 7\n${PAY}`, { signal: stop.signal });
    const { id } = await asked();
    stop.abort();
    expect(queue.pending).toEqual([]);
    expect(queue.approve(id)).toBe(false);
    expect(await running).toMatchObject({ status: 'cancelled', sessionOpen: true });
    expect(paid).toEqual([]);
    expect((await session.execute('print(kept)')).stdout).toBe('7\n');
  });

  it('ends with its executor, and the request with it', async () => {
    const { executor, queue, asked } = openOffice();
    const running = executor.execute(PAY);
    await asked();
    await executor.close();
    expect(queue.pending).toEqual([]);
    expect((await running).success).toBe(false);
  });

  it('has one outcome if several people decide it at once', async () => {
    const { executor, queue, asked, paid } = openOffice();
    const session = await executor.acquire();
    let approvals = 0;
    for (let round = 1; round <= 5; round += 1) {
      const running = session.execute(CATCH);
      const { id } = await asked();
      const deciders = [0, 1, 2].map(async (turn) => {
        await delay((turn + round) % 3);
        return turn === 0 ? queue.reject(id, { reason: 'no' }) : queue.approve(id);
      });
      const counted = await Promise.all(deciders);
      expect(counted.filter(Boolean)).toHaveLength(1);
      if (counted[0] === false) approvals += 1;
      const { stdout } = await running;
      expect(stdout.startsWith('Rejected')).toBe(counted[0]);
    }
    expect(paid.length).toBe(approvals);
  });

  it('can have waiting calls decided in any order, and they do not count as concurrent calls', async () => {
    const { executor, queue, asked, looked, paid } = openOffice({
      budgets: { concurrentToolCalls: 1 },
    });
    const events: ExecutionEvent[] = [];
    const running: Promise<ExecutionResult> = executor.execute(
      `import asyncio
calls = [pay(to="anna", amount=1), pay(to="ben", amount=2), look()]
print(await asyncio.gather(*calls, return_exceptions=True))`,
      { onEvent: (event) => events.push(event) },
    );
    const [first, second] = [await asked(), await asked()];
    // It could not run while a call had the only place.
    await looked;
    queue.reject(second.id, { reason: 'not ben' });
    queue.approve(first.id);
    expect(await running).toMatchObject({
      status: 'ok',
      stdout: expect.stringMatching(/^\[1, ToolError\(.*not ben.*\), None\]\n$/),
    });
    expect(paid).toEqual([{ to: 'anna', amount: 1 }]);
    const approvals = events.flatMap((event) => {
      if (event.type === 'approval-requested') return [`${event.toolName} requested`];
      return event.type === 'approval-decided' ? [`${event.toolName} ${event.decision}`] : [];
    });
    expect(approvals).toEqual(['pay requested', 'pay requested', 'pay rejected', 'pay approved']);
  });
});
