import { randomUUID } from 'node:crypto';
import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { executeCodeTool } from '../../src/ai-sdk/index.ts';
import type { ApprovalRequest } from '../../src/tools/policy/approval-request.ts';
import type { PolicyRule } from '../../src/tools/policy/policy.ts';
import { warningsOf } from '../mcp/support.ts';
import { useBench } from '../support/bench.ts';
import { collect } from './support.ts';

const bench = useBench();

const inputSchema = z.object({ amount: z.number().default(1) });
const execute = ({ amount }: { amount: number }): string => `paid ${amount}`;
const always = tool({ inputSchema, execute, needsApproval: true });
const large = tool({ inputSchema, execute, needsApproval: async ({ amount }) => amount > 100 });

interface Approvals {
  readonly rules?: readonly PolicyRule[];
  readonly approves?: boolean | undefined;
  readonly pay?: typeof always;
}

/** What a program prints that pays, and whom it was asked about. */
async function pay(
  call: string,
  { rules = [], approves, pay: given = always }: Approvals,
): Promise<{ text: string; asked: readonly unknown[] }> {
  const asked: unknown[] = [];
  const approver = async ({ toolName, arguments: sent }: ApprovalRequest) => {
    asked.push([toolName, sent]);
    return approves === true
      ? { approved: true as const }
      : { approved: false as const, reason: 'No.' };
  };
  const execute_code = executeCodeTool({
    executor: bench.executor,
    sessionKey: randomUUID(),
    tools: { pay: given },
    policy: { rules, ...(approves !== undefined && { approver }) },
  });
  const code = `try:\n  print(await ${call})\nexcept ToolError as error:\n  print(error)`;
  const outputs = await collect(execute_code.execute({ code }, { toolCallId: '1', messages: [] }));
  return { text: outputs.at(-1)?.text ?? '', asked };
}

describe('a tool that needs approval', () => {
  it('runs only if the approver agrees', async () => {
    expect(await pay('pay(amount=7)', { approves: true })).toEqual({
      text: 'paid 7',
      asked: [['pay', { amount: 7 }]],
    });
    const { text } = await pay('pay(amount=7)', { approves: false });
    expect(text).toMatch(/Rejected.*No\./);
  });

  it('is refused if there is no approver', async () => {
    const { text } = await pay('pay(amount=7)', {});
    expect(text).toMatch(/Rejected.*no approver/);
  });

  it('asks only about the calls that its function names', async () => {
    const options = { pay: large, approves: true };
    expect(await pay('pay()', options)).toEqual({ text: 'paid 1', asked: [] });
    expect((await pay('pay(amount=700)', options)).asked).toEqual([['pay', { amount: 700 }]]);
    expect((await pay('pay(amount=7)', { pay: large })).text).toBe('paid 7');
    expect((await pay('pay(amount=700)', { pay: large })).text).toMatch(/no approver/);
  });

  it('stays denied by a rule that is later removed from its list', async () => {
    const rules: PolicyRule[] = [{ tool: 'pay', action: 'deny' }];
    const execute_code = executeCodeTool({
      executor: bench.executor,
      sessionKey: randomUUID(),
      tools: { pay: always },
      policy: { rules, approver: async () => ({ approved: true }) },
    });
    rules.length = 0;
    const call = { toolCallId: '1', messages: [] };
    const outputs = await collect(execute_code.execute({ code: 'await pay()' }, call));
    expect(outputs.at(-1)?.text).toContain('pay failed (Denied)');
  });

  it.each<[string, PolicyRule['action'], RegExp, number]>([
    ['cannot be allowed by a rule for all tools', 'allow', /^paid 7$/, 1],
    ['stays denied by a rule', 'deny', /Denied/, 0],
    ['is asked about once if a rule asks too', 'ask', /^paid 7$/, 1],
  ])('%s', async (_, action, text, count) => {
    const rules = [{ tool: '*', action }];
    const paid = await pay('pay(amount=7)', { rules, approves: true });
    expect(paid.text).toMatch(text);
    expect(paid.asked).toHaveLength(count);
  });

  it('is refused a policy that asks without an approver, as everywhere else', async () => {
    const rules = [{ tool: 'pay', action: 'ask' as const }];
    await expect(pay('pay(amount=7)', { rules })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('is asked about if a rule asks, whatever its function says', async () => {
    const rules = [{ tool: 'pay', action: 'ask' as const }];
    const { asked } = await pay('pay(amount=7)', { rules, approves: true, pay: large });
    expect(asked).toHaveLength(1);
  });
});

describe('a tool that needs approval, beside one with hints', () => {
  const hinted = useBench({
    toolList: [
      {
        name: 'look',
        description: 'Looks.',
        annotations: { readOnlyHint: true },
        run: () => 'seen',
      },
    ],
  });

  it('is asked about although a rule allows what has a hint, without a warning of that rule', async () => {
    const warnings = warningsOf('PTC_RULE_UNUSED');
    const asked: string[] = [];
    const execute_code = executeCodeTool({
      executor: hinted.executor,
      sessionKey: randomUUID(),
      tools: { pay: always },
      policy: {
        rules: [{ tool: '*', annotations: { readOnlyHint: true }, action: 'allow' }],
        approver: async ({ toolName }) => {
          asked.push(toolName);
          return { approved: true };
        },
      },
    });
    const input = { code: 'print(await look(), await pay(amount=7))' };
    const outputs = await collect(execute_code.execute(input, { toolCallId: '1', messages: [] }));
    expect(outputs.at(-1)?.text).toBe('seen paid 7');
    expect(asked).toEqual(['pay']);
    expect(warnings).toEqual([]);
  });
});

describe('a tool that needs approval, and the policy of the executor', () => {
  const strict = useBench({
    policy: { rules: [{ tool: 'pay', action: 'deny', reason: 'never' }] },
  });

  it('stays denied by its rules', async () => {
    const { executor } = strict;
    const sessionKey = randomUUID();
    const execute_code = executeCodeTool({ executor, sessionKey, tools: { pay: always } });
    const input = { code: 'await pay(amount=7)' };
    const outputs = await collect(execute_code.execute(input, { toolCallId: '1', messages: [] }));
    expect(outputs.at(-1)?.text).toMatch(/Denied.*never/);
  });
});

it('calls of a rule with a group are asked together', async () => {
  const asked: unknown[] = [];
  const execute_code = executeCodeTool({
    executor: bench.executor,
    sessionKey: randomUUID(),
    tools: { pay: large },
    policy: {
      rules: [
        { tool: 'pay', when: ({ input }) => input['amount'] === 1, action: 'allow' },
        { tool: 'pay', action: 'ask', group: 'program' },
      ],
      approver: {
        ask: async () => ({ approved: false, reason: 'alone' }),
        askBatch: async ({ requests }) => {
          asked.push(requests.map((request) => request.arguments));
          return { others: { approved: true } };
        },
      },
    },
  });
  const code =
    'import asyncio\nprint(await asyncio.gather(*(pay(amount=n) for n in (1, 200, 300))))';
  const outputs = await collect(execute_code.execute({ code }, { toolCallId: '1', messages: [] }));
  expect(outputs.at(-1)?.text).toContain("['paid 1', 'paid 200', 'paid 300']");
  expect(asked).toEqual([[{ amount: 200 }, { amount: 300 }]]);
});
