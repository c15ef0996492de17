import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { invokeTool } from '../../../src/calls/invoke-tool.ts';
import type { ToolOutcome } from '../../../src/calls/tool-outcome.ts';
import type { Approval } from '../../../src/tools/policy/approval.ts';
import type { ApprovalRequest } from '../../../src/tools/policy/approval-request.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import type { CallDecision } from '../../../src/tools/policy/call-gate.ts';
import { PolicyGate, type PolicyOptions } from '../../../src/tools/policy/policy-gate.ts';
import type { PolicyCall } from '../../../src/tools/policy/policy.ts';
import { ToolRegistry } from '../../../src/tools/registry/registry.ts';
import { programCounter } from '../../support/call-counter.ts';
import { callingUnit, callOrigin } from '../../support/call-origin.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

interface Called {
  readonly outcome: ToolOutcome;
  /** What the tool got, where it ran. */
  readonly inputs: unknown[];
  readonly decisions: CallDecision[];
}

/** Calls a tool that pays, whose schema trims, defaults and bounds, under a policy. */
async function pay(policy: PolicyOptions, sent: unknown = { to: ' anna ' }): Promise<Called> {
  const inputs: unknown[] = [];
  const decisions: CallDecision[] = [];
  const tools = new ToolRegistry([
    defineTool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.object({ to: z.string().trim(), amount: z.number().max(1000).default(10) }),
      annotations: { destructiveHint: true },
      timeoutMs: 60,
      run: (input) => {
        inputs.push(input);
        return 'paid';
      },
    }),
  ]);
  const outcome = await invokeTool(tools, {
    toolName: 'pay',
    arguments: sent,
    caller: 'code',
    callId: 'c1',
    counter: programCounter(),
    origin: callOrigin({ sessionId: 's1', labels: { tenant: 'acme' } }),
    signal: new AbortController().signal,
    policy: new PolicyGate(policy).callGate(callingUnit()),
    onDecision: (decision) => decisions.push(decision),
  });
  return { outcome, inputs, decisions };
}

const paid = { ok: true, result: { text: '"paid"' } };
const approve = async (): Promise<Approval> => ({ approved: true });

describe('a call under a policy', () => {
  it('that is allowed runs, and no word of it is said', async () => {
    const { outcome, inputs, decisions } = await pay({ rules: [] });
    expect(outcome).toEqual(paid);
    expect(inputs).toEqual([{ to: 'anna', amount: 10 }]);
    expect(decisions).toEqual([]);
  });

  it('that is denied fails with the reason and does not run [host/policy, host/one-way-to-tools]', async () => {
    const rules = [{ tool: 'pay', action: 'deny', reason: 'not on Sundays' }] as const;
    const { outcome, inputs, decisions } = await pay({ rules });
    const message = 'the policy denies it: not on Sundays';
    expect(outcome).toEqual({ ok: false, failure: { type: 'Denied', message } });
    expect(inputs).toEqual([]);
    expect(decisions).toEqual([
      {
        decision: 'denied',
        toolName: 'pay',
        arguments: { to: ' anna ' },
        caller: 'code',
        callId: 'c1',
        sessionId: 's1',
        labels: { tenant: 'acme' },
        annotations: { destructiveHint: true },
        edited: false,
        reason: 'not on Sundays',
      },
    ]);
  });

  it('is judged by what the tool would get', async () => {
    const seen: PolicyCall[] = [];
    const when = (call: PolicyCall): boolean => {
      seen.push(call);
      return true;
    };
    await pay({ rules: [{ tool: 'pay', when, action: 'allow' }] });
    expect(seen).toMatchObject([
      {
        input: { to: 'anna', amount: 10 },
        labels: { tenant: 'acme' },
        annotations: { destructiveHint: true },
      },
    ]);
  });

  it('whose arguments do not fit troubles no approver [host/one-way-to-tools]', async () => {
    const { outcome, decisions } = await pay(
      { rules: [{ tool: '*', action: 'ask' }], approver: approve },
      { to: 5 },
    );
    expect(outcome).toMatchObject({ failure: { type: 'InvalidArguments' } });
    expect(decisions).toEqual([]);
  });

  it('whose rule throws fails without saying why, and the operator is warned', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const when = (): boolean => {
      throw new Error('/secret/path');
    };
    const { outcome } = await pay({ rules: [{ tool: '*', when, action: 'allow' }] });
    expect(outcome).toMatchObject({ failure: { type: 'Denied' } });
    expect(JSON.stringify(outcome)).not.toContain('secret');
    expect(warned).toHaveBeenCalledWith(expect.stringContaining('/secret/path'));
  });

  it('that is approved runs with what was validated; the approver sees what was sent', async () => {
    const requests: ApprovalRequest[] = [];
    const { outcome, inputs, decisions } = await pay({
      rules: [{ tool: 'pay', action: 'ask', reason: 'money' }],
      approver: async (request) => {
        requests.push(request);
        return { approved: true };
      },
    });
    expect(outcome).toEqual(paid);
    expect(inputs).toEqual([{ to: 'anna', amount: 10 }]);
    expect(requests).toMatchObject([
      {
        toolName: 'pay',
        arguments: { to: ' anna ' },
        reason: 'money',
        labels: { tenant: 'acme' },
        annotations: { destructiveHint: true },
      },
    ]);
    expect(requests[0]).not.toHaveProperty('input');
    expect(decisions.map(({ decision }) => decision)).toEqual(['asked', 'approved']);
  });

  it('runs with what was sent where the approver changed its copy, and is recorded so', async () => {
    const inputs: unknown[] = [];
    const decisions: CallDecision[] = [];
    const tools = new ToolRegistry([
      {
        name: 'pay',
        description: 'Pays.',
        inputSchema: { type: 'object' },
        run: (input: unknown) => inputs.push(input),
      },
    ]);
    const approver = async ({ arguments: copy }: ApprovalRequest): Promise<Approval> => {
      Object.assign(copy as object, { amount: 1 });
      return { approved: true };
    };
    await invokeTool(tools, {
      toolName: 'pay',
      arguments: { amount: 9 },
      caller: 'code',
      callId: 'c1',
      counter: programCounter(),
      origin: callOrigin({ sessionId: 's1' }),
      signal: new AbortController().signal,
      policy: new PolicyGate({ rules: [{ tool: '*', action: 'ask' }], approver }).callGate(
        callingUnit(),
      ),
      onDecision: (decision) => decisions.push(decision),
    });
    expect(inputs).toEqual([{ amount: 9 }]);
    expect(decisions.map(({ arguments: recorded }) => recorded)).toEqual([
      { amount: 9 },
      { amount: 9 },
    ]);
    expect(decisions.at(-1)).toMatchObject({ decision: 'approved', edited: false });
  });

  it('may wait for its approval longer than the tool may take', async () => {
    const { outcome } = await pay({
      rules: [{ tool: 'pay', action: 'ask' }],
      approver: async () =>
        new Promise((resolve) => setTimeout(() => resolve({ approved: true }), 80)),
    });
    expect(outcome).toEqual(paid);
  });

  it('that nobody decides in time is rejected and says so [host/policy]', async () => {
    const { outcome, decisions } = await pay({
      rules: [{ tool: 'pay', action: 'ask' }],
      approver: async () => new Promise(() => {}),
      approvalTimeoutMs: 5,
    });
    const message = 'it was not approved: nobody decided within 5 ms';
    expect(outcome).toEqual({ ok: false, failure: { type: 'Rejected', message } });
    expect(decisions.map(({ decision }) => decision)).toEqual(['asked', 'expired']);
  });
});

describe('arguments that the approver edits', () => {
  const rules = [
    {
      tool: 'pay',
      when: ({ input }: PolicyCall) => (input as { amount: number }).amount > 500,
      action: 'deny',
      reason: 'over 500',
    },
    { tool: 'pay', action: 'ask' },
  ] as const;
  const editing = (edited: unknown): PolicyOptions => ({
    rules,
    approver: { ask: async () => ({ approved: true, arguments: edited }) },
  });

  it('reach the tool through its schema', async () => {
    const edited = { to: ' ben ', amount: 5 };
    const { outcome, inputs, decisions } = await pay(editing(edited));
    expect(outcome).toEqual(paid);
    expect(inputs).toEqual([{ to: 'ben', amount: 5 }]);
    expect(decisions.at(-1)).toMatchObject({
      decision: 'approved',
      edited: true,
      arguments: edited,
    });
  });

  it.each([
    ['do not fit the schema', { to: 1 }, /approver’s own arguments do not fit: .*to/],
    ['are null', null, /do not fit/],
    ['a rule denies', { to: 'ben', amount: 900 }, /denies the approver’s own arguments: over 500/],
  ])('and that %s are rejected', async (_, edited, message) => {
    const { outcome, inputs, decisions } = await pay(editing(edited));
    expect(outcome).toMatchObject({
      failure: { type: 'Rejected', message: expect.stringMatching(message) },
    });
    expect(inputs).toEqual([]);
    expect(decisions.map(({ decision }) => decision)).toEqual(['asked', 'rejected']);
  });
});

describe('a policy that is given', () => {
  it.each([
    [
      'a rule asks, but there is no approver',
      { rules: [{ tool: 'a', action: 'ask' }] },
      /no approver/,
    ],
    ['the approver is none', { rules: [], approver: 'me' }, /approver must be a function/],
    ['the approver is null', { rules: [], approver: null }, /approver must be a function/],
    ['the time is none', { rules: [], approvalTimeoutMs: 0 }, /approvalTimeoutMs/],
    ['the time is text', { rules: [], approvalTimeoutMs: '5' }, /approvalTimeoutMs/],
    ['the time is too long', { rules: [], approvalTimeoutMs: 2 ** 31 }, /approvalTimeoutMs/],
    ['there are no rules', {}, /rules must be an array/],
    ['there is none', null, /policy must be an object/],
  ])('is refused where %s', (_, options, message) => {
    expect(() => new PolicyGate(options as PolicyOptions)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringMatching(message) }),
    );
  });

  it('waits five minutes for an approval unless it is told otherwise', () => {
    expect(new PolicyGate({ rules: [] }).approvalTimeoutMs).toBe(300_000);
  });
});
