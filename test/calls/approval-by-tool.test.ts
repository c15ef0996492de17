import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { invokeTool } from '../../src/calls/invoke-tool.ts';
import { CallCounter } from '../../src/calls/limits/call-counter.ts';
import { OpenCalls } from '../../src/calls/open-calls.ts';
import type { ToolInvocation } from '../../src/calls/tool-invocation.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { withNeedsApproval, type NeedsApproval } from '../../src/tools/needs-approval.ts';
import { PolicyGate } from '../../src/tools/policy/policy-gate.ts';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { callingUnit, callOrigin } from '../support/call-origin.ts';

/** A call of a tool that itself says whether the call needs approval, and what was done meanwhile. */
function payBench(needsApproval: NeedsApproval, timeoutMs = 30_000) {
  const done: string[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: { type: 'object' },
    timeoutMs,
    run: () => {
      done.push('paid');
      return 'paid';
    },
  });
  const approver = async () => {
    done.push('asked');
    return { approved: true as const };
  };
  const tools = new ToolRegistry([withNeedsApproval(pay, needsApproval)]);
  const policy = new PolicyGate({ rules: [], approver }).callGate(callingUnit());
  const call = async (changes: Partial<ToolInvocation> = {}): Promise<string> => {
    const outcome = await invokeTool(tools, {
      toolName: 'pay',
      arguments: { amount: 7 },
      caller: 'code',
      callId: randomUUID(),
      counter: CallCounter.ofProgram({ runId: randomUUID(), sessionId: randomUUID() }),
      origin: callOrigin(),
      signal: new AbortController().signal,
      policy,
      onDecision: ({ decision }) => done.push(decision),
      ...changes,
    });
    if (outcome.ok) return outcome.result.text;
    return `${outcome.failure.type}: ${outcome.failure.message}`;
  };
  return { call, done };
}

const never: NeedsApproval = async () => new Promise(() => {});

describe('a tool that says which of its calls need approval', () => {
  it('is asked with what it would get and the id of the call', async () => {
    const asked: unknown[] = [];
    const { call, done } = payBench(async (...about) => {
      asked.push(about);
      return true;
    });
    expect(await call({ callId: 'first' })).toBe('"paid"');
    expect(asked).toEqual([[{ amount: 7 }, 'first']]);
    expect(done).toEqual(['asked', 'asked', 'approved', 'paid']);
  });

  it('is asked once about a call that waits for the approver', async () => {
    let count = 0;
    const { call, done } = payBench(async () => {
      count += 1;
      return true;
    });
    await Promise.all(Array.from({ length: 15 }, async () => call()));
    expect(count).toBe(15);
    expect(done.filter((what) => what === 'paid')).toHaveLength(15);
  });

  it('gets no call whose answer fails, and only the process learns why', async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const { call, done } = payBench(async () => {
      throw new Error('the secret ledger is closed');
    });
    expect(await call()).toBe('Rejected: it was not approved: its needsApproval failed');
    expect(done).toEqual(['denied']);
    await expect
      .poll(() => warnings)
      .toContain('needsApproval of the tool pay failed: "the secret ledger is closed"');
  });

  it('gets no call without an answer within its time limit', async () => {
    const { call, done } = payBench(never, 10);
    const why = 'its needsApproval gave no answer within 10 ms';
    expect(await call()).toBe(`Rejected: it was not approved: ${why}`);
    expect(done).toEqual(['denied']);
  });

  it.each<[string, (call: { end: AbortController; openCalls: OpenCalls }) => void]>([
    ['whose program ends', ({ end }) => end.abort()],
    ['that its program gives up', ({ openCalls }) => openCalls.giveUp('1')],
  ])('gets no call %s before the answer', async (_, stop) => {
    const asked = createDeferred<void>();
    const { call, done } = payBench(async () => {
      asked.resolve();
      return never(undefined, '');
    });
    const [end, openCalls] = [new AbortController(), new OpenCalls()];
    const calling = call({ signal: end.signal, openCalls, callId: '1' });
    await asked.promise;
    stop({ end, openCalls });
    expect(await calling).toMatch(/^Cancelled/);
    expect(done).toEqual([]);
  });
});
