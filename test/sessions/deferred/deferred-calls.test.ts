import { describe, expect, it } from 'vitest';
import type { ExecutionEvent } from '../../../src/execution/execution.ts';
import type { LanguageName } from '../../../src/protocol/messages.ts';
import { ApprovalGrants } from '../../../src/tools/policy/grants/approval-grants.ts';
import type { ApprovalBatch } from '../../../src/tools/policy/batches/approval-batch.ts';
import { useExecutors } from '../support.ts';
import { openShop, outcomes } from './shop.ts';
import { auditLog } from '../../support/audit-log.ts';

const makeExecutor = useExecutors();

const PROGRAMS: Readonly<Record<Exclude<LanguageName, 'javascript'>, string>> = {
  python: `print(await pay(amount=1))
print(await pay(amount=2))
seen = await look()`,
  typescript: `console.log(JSON.stringify(await pay({ amount: 1 })));
console.log(JSON.stringify(await pay({ amount: 2 })));
const seen = await look({});`,
  bash: `pay --amount 1
pay --amount 2
look > /dev/null`,
};

const RECEIPTS: typeof PROGRAMS = {
  python: "{'deferred': True, 'number': 1}\n{'deferred': True, 'number': 2}\n",
  typescript: '{"deferred":true,"number":1}\n{"deferred":true,"number":2}\n',
  bash: '{"deferred":true,"number":1}\n{"deferred":true,"number":2}\n',
};

describe('a call that is deferred', () => {
  it.each(['python', 'typescript', 'bash'] as const)(
    'returns a receipt at once, and is decided and made when its %s program has ended',
    async (language) => {
      const { options, happened } = openShop();
      const { executor } = makeExecutor({ ...options, languages: [language] });
      const result = await executor.execute(PROGRAMS[language], { language });
      expect(result).toMatchObject({ status: 'ok', stdout: RECEIPTS[language] });
      expect(happened).toEqual(['look', 'ask 1', 'ask 2', 'pay 1', 'pay 2']);
      expect(result.deferred).toEqual([
        {
          number: 1,
          callId: expect.any(String),
          toolName: 'pay',
          argumentsText: '{"amount":1}',
          outcome: 'done',
          result: '{"paid":1}',
          error: undefined,
        },
        expect.objectContaining({ number: 2, outcome: 'done', result: '{"paid":2}' }),
      ]);
    },
  );

  it('is made with all others after one request, if the approver decides batches', async () => {
    const batches: ApprovalBatch[] = [];
    const { options, happened } = openShop({
      approver: {
        ask: async () => ({ approved: false, reason: 'not one by one' }),
        askBatch: async (batch) => {
          batches.push(batch);
          const [, second, third] = batch.requests;
          return {
            calls: {
              [second?.id ?? '']: { approved: false, reason: 'not this one' },
              [third?.id ?? '']: { approved: true, arguments: { amount: 7 } },
            },
            others: { approved: true },
          };
        },
      },
    });
    const { executor } = makeExecutor(options);
    const code = 'for n in range(1, 5): seen = await pay(amount=n)';
    const result = await executor.execute(code);
    expect(batches).toMatchObject([
      {
        program: { code, language: 'python' },
        requests: [1, 2, 3, 4].map((n) => ({ number: n, arguments: { amount: n } })),
      },
    ]);
    expect(happened).toEqual(['pay 1', 'pay 7', 'pay 4']);
    expect(outcomes(result)).toEqual(['1 done', '2 not-made Rejected', '3 done', '4 done']);
    expect(result.deferred?.map(({ argumentsText }) => argumentsText)).toEqual(
      [1, 2, 7, 4].map((amount) => JSON.stringify({ amount })),
    );
  });

  it('stops the others if it fails, unless the policy says that they go on', async () => {
    const code = 'for n in [1, 13, 100, 2]: seen = await pay(amount=n)';
    for (const [onDeferredFailure, expected] of [
      [undefined, ['1 done', '2 failed Failed', '3 not-made Rejected', '4 not-made Cancelled']],
      ['continue', ['1 done', '2 failed Failed', '3 not-made Rejected', '4 done']],
    ] as const) {
      const { options } = openShop(onDeferredFailure && { onDeferredFailure });
      const { executor } = makeExecutor(options);
      const result = await executor.execute(code);
      expect(result.success).toBe(true);
      expect(outcomes(result)).toEqual(expected);
    }
  });

  it('fails in its program at once if its arguments are wrong or a rule denies it', async () => {
    const { options, happened } = openShop({
      rules: [
        { tool: 'pay', when: ({ input }) => input['amount'] === 5, action: 'deny', reason: 'five' },
        { tool: 'pay', action: 'ask' },
      ],
    });
    const { executor } = makeExecutor(options);
    const result = await executor.execute(`for sent in [{"amount": "x"}, {"amount": 5}]:
    try:
        await pay(**sent)
    except ToolError as error:
        print(error.type)`);
    expect(result.stdout).toBe('InvalidArguments\nDenied\n');
    expect(result).not.toHaveProperty('deferred');
    expect(happened).toEqual([]);
  });

  it('is made at once if nobody is asked about it: a rule allows it, or a grant covers it', async () => {
    const grants = new ApprovalGrants();
    const { options, happened } = openShop(
      {
        rules: [
          { tool: 'pay', when: ({ input }) => input['amount'] === 5, action: 'allow' },
          { tool: 'pay', action: 'ask' },
        ],
        grants,
      },
      async () => ({ approved: true, grant: { calls: 1, until: 'session' } }),
    );
    const { executor } = makeExecutor(options);
    const session = await executor.acquire();
    await session.execute('print(await pay(amount=5))\nprint(await pay(amount=1))');
    const result = await session.execute('print(await pay(amount=2))');
    expect(result.stdout).toBe("{'paid': 2}\n");
    expect(happened).toEqual(['pay 5', 'ask 1', 'pay 1', 'pay 2']);
  });

  it('counts toward the limits of its tool when it is called, and once', async () => {
    const { options } = openShop({
      rules: [{ tool: 'pay', action: 'ask', maxCalls: { program: 2 } }],
    });
    const { executor } = makeExecutor(options);
    const result = await executor.execute(`for n in range(1, 4):
    try:
        seen = await pay(amount=n)
    except ToolError as error:
        print(error.type)`);
    expect(result.stdout).toBe('LimitReached\n');
    expect(outcomes(result)).toEqual(['1 done', '2 done']);
  });

  it('is asked about for a limit too, although a rule allows it', async () => {
    const { options, happened } = openShop({
      rules: [{ tool: 'pay', action: 'allow', repeatedCalls: { limit: 1, action: 'ask' } }],
    });
    const { executor } = makeExecutor(options);
    const result = await executor.execute('for n in [1, 2, 1]: seen = await pay(amount=n)');
    expect(happened).toEqual(['pay 1', 'pay 2', 'ask 1', 'pay 1']);
    expect(outcomes(result)).toEqual(['1 done']);
  });

  it('fails if its program has deferred 1,000 calls or a mebibyte [waiting/deferred-calls]', async () => {
    const { options, happened } = openShop({}, async () => ({ approved: false, reason: 'no' }));
    const { executor } = makeExecutor({ ...options, budgets: { toolCalls: 100_000 } });
    const many = await executor.execute(`made = 0
for n in range(1200):
    try:
        await pay(amount=101)
        made += 1
    except ToolError as error:
        problem = error
print(made, problem.type, problem.message)
raise ValueError()`);
    expect(many.stdout).toMatch(
      /^1000 LimitReached .*deferred as many calls as it may.*; this call was not made\n$/,
    );
    expect(many.deferred).toHaveLength(1000);
    const large = await executor.execute(`for n in range(4):
    try:
        await pay(amount=101, to="x" * 300_000)
    except ToolError as error:
        print(n, error.type)`);
    expect(large.stdout).toBe('3 LimitReached\n');
    expect(happened).toEqual(['ask 101', 'ask 101', 'ask 101']);
  });

  it('has no meaning if a program makes up its receipt', async () => {
    const { options, happened } = openShop();
    const { executor } = makeExecutor(options);
    const result = await executor.execute(`receipt = {"deferred": True, "number": 7}
print(receipt)
submit({"deferred": [receipt]})`);
    expect(result).toMatchObject({ status: 'ok', value: { deferred: [{ number: 7 }] } });
    expect(result).not.toHaveProperty('deferred');
    const one = await executor.execute(`receipt = await pay(amount=1)
receipt["number"] = 2
submit(receipt)`);
    expect(outcomes(one)).toEqual(['1 done']);
    expect(happened).toEqual(['ask 1', 'pay 1']);
  });

  it('is told in events and in the audit log: when it is deferred, decided and made', async () => {
    const entries: string[] = [];
    const { options } = openShop();
    const { executor } = makeExecutor({
      ...options,
      audit: auditLog(({ type }) => void entries.push(type)),
    });
    const events: ExecutionEvent[] = [];
    await executor.execute('print(await pay(amount=1))', {
      onEvent: (event) => events.push(event),
    });
    expect(events.map(({ type }) => type)).toEqual([
      'tool-call-started',
      'tool-call-deferred',
      'output-delta',
      'approval-requested',
      'approval-decided',
      'tool-call-ended',
    ]);
    expect(events[1]).toEqual({
      type: 'tool-call-deferred',
      callId: expect.any(String),
      toolName: 'pay',
      arguments: { amount: 1 },
      reason: 'money',
      number: 1,
      programId: '1',
      runId: expect.any(String),
      line: 1,
    });
    expect(entries.filter((type) => !type.startsWith('session'))).toEqual([
      'program-started',
      'tool-call-deferred',
      'approval-requested',
      'approval-decided',
      'tool-call-ended',
      'program-ended',
    ]);
  });
});
