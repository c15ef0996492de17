import { randomUUID } from 'node:crypto';
import { jsonSchema, tool, zodSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aiSdkTools, executeCodeTool, type AiSdkTool } from '../../src/ai-sdk/index.ts';
import type { PolicyRule } from '../../src/tools/policy/policy.ts';
import { useBench } from '../support/bench.ts';
import { collect } from './support.ts';

const bench = useBench();

interface Payment {
  readonly to: string;
  readonly amount: number;
}

const payment = z.object({
  to: z.string().trim(),
  amount: z
    .number()
    .default(4999)
    // Another value each time that it is applied.
    .transform((amount) => amount + 1),
});

/** A schema whose own check is synchronous. */
const toJsonSchema = (schema: typeof payment) =>
  jsonSchema<Payment>(z.toJSONSchema(schema, { io: 'input' }) as never, {
    validate: (value) => {
      const { success, data, error } = schema.safeParse(value);
      return success ? { success, value: data } : { success, error };
    },
  });

const FORMS: readonly [string, unknown][] = [
  ['zod', payment],
  ['zodSchema', zodSchema(payment)],
  ['a lazy schema', () => zodSchema(payment)],
  ['jsonSchema', toJsonSchema(payment)],
];

/** A tool that needs approval for large payments and those to Mallory, and what it was asked and did. */
function payTool(inputSchema: unknown) {
  const judged: Payment[] = [];
  const paid: Payment[] = [];
  const pay = tool({
    inputSchema: inputSchema as z.ZodType<Payment>,
    needsApproval: (input) => {
      judged.push(input);
      return input.amount > 1000 || input.to === 'mallory';
    },
    execute: (input) => {
      paid.push(input);
      return 'paid';
    },
  });
  return { pay, judged, paid };
}

/** What a program of `executeCodeTool` prints that makes a call, and about which arguments the approver was asked. */
async function ask(
  pay: AiSdkTool,
  call: string,
  rules: readonly PolicyRule[] = [],
): Promise<{ text: string | undefined; asked: readonly unknown[] }> {
  const asked: unknown[] = [];
  const execute_code = executeCodeTool({
    executor: bench.executor,
    sessionKey: randomUUID(),
    tools: { pay },
    policy: {
      rules,
      approver: async ({ arguments: sent }) => {
        asked.push(sent);
        return { approved: false, reason: 'No.' };
      },
    },
  });
  const code = `try:\n  print(await ${call})\nexcept ToolError as error:\n  print(error)`;
  const outputs = await collect(execute_code.execute({ code }, { toolCallId: '1', messages: [] }));
  return { text: outputs.at(-1)?.text, asked };
}

describe.each(FORMS)('a tool with a schema of %s', (_, schema) => {
  it.each([
    ['a default', 'pay(to="bob")', { to: 'bob' }, { to: 'bob', amount: 5000 }],
    [
      'a transform',
      'pay(to=" mallory", amount=1)',
      { to: ' mallory', amount: 1 },
      { to: 'mallory', amount: 2 },
    ],
  ])('asks for approval because of %s', async (_what, call, sent, input) => {
    const { pay, judged, paid } = payTool(schema);
    const { text, asked } = await ask(pay, call);
    expect(text).toMatch(/Rejected.*No\./);
    expect(asked).toEqual([sent]);
    const { error } = await bench.run(`await ${call}`, { tools: aiSdkTools({ pay }) });
    expect(error?.message).toContain('needs approval');
    expect(judged).toEqual([input, input]);
    expect(paid).toEqual([]);
  });

  it('gets what it was judged by, with each transform applied once', async () => {
    const { pay, judged, paid } = payTool(schema);
    expect(await ask(pay, 'pay(to=" bob", amount=1)')).toEqual({ text: 'paid', asked: [] });
    const code = 'print(await pay(to=" bob", amount=1))';
    const { stdout } = await bench.run(code, { tools: aiSdkTools({ pay }) });
    expect(stdout).toBe('paid\n');
    const input = { to: 'bob', amount: 2 };
    expect(judged).toEqual([input, input]);
    expect(paid).toEqual([input, input]);
  });

  it.each<[string, PolicyRule['when'] & {}]>([
    ['reads it', ({ input }) => (input as unknown as Payment).amount > 1000],
    [
      'reads it and catches errors',
      (call) => {
        try {
          return (call.input as unknown as Payment).amount > 1000;
        } catch {
          return false;
        }
      },
    ],
  ])('is denied a call with a default by a rule that %s', async (_what, when) => {
    const { pay, paid } = payTool(schema);
    const rules = [{ tool: 'pay', when, action: 'deny' as const }];
    expect((await ask(pay, 'pay(to="bob")', rules)).text).toContain('Denied');
    const policy = { rules };
    const tools = aiSdkTools({ pay: { ...pay, needsApproval: false } });
    const { error } = await bench.run('await pay(to="bob")', { tools, policy });
    expect(error?.message).toContain('Denied');
    expect(paid).toEqual([]);
  });

  it('is judged by rules that do not read it', async () => {
    const { pay } = payTool(schema);
    const rules: PolicyRule[] = [
      { tool: 'pay', when: ({ labels }) => labels['role'] === 'guest', action: 'deny' },
    ];
    expect(await ask(pay, 'pay(to="bob", amount=1)', rules)).toEqual({ text: 'paid', asked: [] });
  });
});

describe('a schema that validates asynchronously', () => {
  /** Refuses all that it validates from some time on. */
  function payUntil(count: number) {
    let left = count;
    return payTool(
      jsonSchema<Payment>(
        { type: 'object' },
        {
          validate: async (value) => {
            left -= 1;
            return left >= 0
              ? { success: true, value: value as Payment }
              : { success: false, error: new Error('the account is closed') };
          },
        },
      ),
    );
  }

  it('tells the program what is wrong with the arguments, and nobody is asked', async () => {
    const { pay, judged, paid } = payUntil(0);
    const { text, asked } = await ask(pay, 'pay(amount=1)');
    expect(text).toContain('the account is closed');
    const { error } = await bench.run('await pay(amount=1)', { tools: aiSdkTools({ pay }) });
    expect(error?.message).toContain('the account is closed');
    expect([...asked, ...judged, ...paid]).toEqual([]);
  });

  it('validates arguments once, so that the tool gets those that were judged', async () => {
    const { pay, judged, paid } = payUntil(1);
    expect(await ask(pay, 'pay(amount=1)')).toEqual({ text: 'paid', asked: [] });
    expect([judged, paid]).toEqual([[{ amount: 1 }], [{ amount: 1 }]]);
  });
});
