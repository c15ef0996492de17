import { randomUUID } from 'node:crypto';
import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { executeCodeTool, type AiSdkTool } from '../../src/ai-sdk/index.ts';
import type { AuditEntry } from '../../src/audit/entry.ts';
import { createDeferred } from '../../src/shared/async/deferred.ts';
import { ApprovalGrants } from '../../src/tools/policy/grants/approval-grants.ts';
import type { PolicyOptions } from '../../src/tools/policy/policy-gate.ts';
import { auditLog } from '../support/audit-log.ts';
import { useBench } from '../support/bench.ts';
import { collect } from './support.ts';

const entries: AuditEntry[] = [];

const bench = useBench({
  audit: auditLog((entry) => void entries.push(entry)),
  toolList: [
    {
      name: 'look',
      description: 'Looks.',
      repeatedCalls: { limit: 1, action: 'ask' },
      run: () => 'seen',
    },
  ],
});

const inputSchema = z.object({ amount: z.number() });

/** A tool of which large calls need approval. */
function payTool(onPaid?: (amount: number) => void) {
  return tool({
    inputSchema,
    needsApproval: async ({ amount }) => amount > 100,
    execute: ({ amount }) => {
      onPaid?.(amount);
      return `paid ${amount}`;
    },
  });
}

/** What a program prints, and the audit entries of the decisions about its calls. */
async function run(
  code: string,
  pay: AiSdkTool,
  policy?: PolicyOptions,
): Promise<{ text: string; decided: readonly string[] }> {
  entries.length = 0;
  const execute_code = executeCodeTool({
    executor: bench.executor,
    sessionKey: randomUUID(),
    tools: { pay },
    ...(policy && { policy }),
  });
  const outputs = await collect(execute_code.execute({ code }, { toolCallId: '1', messages: [] }));
  const decided = entries
    .map(({ type }) => type)
    .filter((type) => type.startsWith('approval-') || type === 'tool-call-denied');
  return { text: outputs.at(-1)?.text ?? '', decided };
}

/** A program that makes the same call again and again, and prints what came of each. */
const repeated = (call: string, count: number): string => `
for _ in range(${count}):
    try:
        print(await ${call})
    except ToolError as error:
        print(error)
`;

describe('calls for which needsApproval says no', () => {
  it('are asked about by a limit that asks', async () => {
    const reasons: (string | undefined)[] = [];
    const { text } = await run(repeated('pay(amount=7)', 5), payTool(), {
      rules: [
        { tool: 'pay', action: 'allow', repeatedCalls: { limit: 2, action: 'ask' } },
        { tool: '*', action: 'deny' },
      ],
      approver: async ({ reason }) => {
        reasons.push(reason);
        return { approved: false, reason: 'No.' };
      },
    });
    const [first, second, ...others] = text.trim().split('\n');
    expect([first, second]).toEqual(['paid 7', 'paid 7']);
    expect(others).toHaveLength(3);
    for (const line of others) expect(line).toMatch(/Rejected.*No\./);
    expect(reasons).toHaveLength(3);
    for (const reason of reasons) expect(reason).toMatch(/^this program has already made/);
  });

  it('use no grant, and are not recorded as decided by an approver', async () => {
    const asked: unknown[] = [];
    const code = 'for n in (200, 1, 2, 300): print(await pay(amount=n))';
    const { text, decided } = await run(code, payTool(), {
      rules: [],
      grants: new ApprovalGrants(),
      approver: async ({ arguments: sent }) => {
        asked.push(sent);
        return { approved: true, grant: { calls: 1 } };
      },
    });
    expect(text).toBe('paid 200\npaid 1\npaid 2\npaid 300');
    expect(asked).toEqual([{ amount: 200 }]);
    expect(decided).toEqual(['approval-requested', 'approval-decided', 'approval-granted']);
  });

  it('do not wait for a person who decides others', async () => {
    const small = createDeferred<void>();
    const code = `
import asyncio
results = await asyncio.gather(*(pay(amount=n) for n in (*range(200, 210), 1)))
print(len(results))
`;
    const pay = payTool((amount) => {
      if (amount === 1) small.resolve();
    });
    const { text } = await run(code, pay, {
      rules: [],
      approver: async () => {
        await small.promise;
        return { approved: true };
      },
    });
    expect(text).toBe('11');
  });
});

describe('a tool that needs approval, without an approver', () => {
  it('does not change what a limit of another tool does', async () => {
    const { text, decided } = await run(repeated('look()', 2), payTool());
    expect(text).toMatch(/^seen\n.*LimitReached/);
    expect(decided).toEqual(['tool-call-denied']);
  });

  it('is recorded as denied', async () => {
    const { text, decided } = await run(repeated('pay(amount=700)', 1), payTool());
    expect(text).toMatch(/Rejected.*no approver/);
    expect(decided).toEqual(['tool-call-denied']);
  });
});
