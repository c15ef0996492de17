import { jsonSchema, tool, zodSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aiSdkTools, type AiSdkToolSet } from '../../src/ai-sdk/index.ts';
import { useBench } from '../support/bench.ts';
import { thrownBy } from './support.ts';

const bench = useBench();

/** Runs a program that can call these tools, and returns what it printed. */
async function printed(code: string, tools: AiSdkToolSet, context?: unknown): Promise<string> {
  const options: object = { tools: aiSdkTools(tools), context };
  const { stdout, error } = await bench.run(code, options);
  return stdout.trim() || String(error?.message);
}

describe('tools of the AI SDK in programs', () => {
  it.each([
    ['zod', z.object({ n: z.coerce.number().default(6) })],
    ['zodSchema', zodSchema(z.object({ n: z.coerce.number().default(6) }))],
    ['a lazy schema', () => zodSchema(z.object({ n: z.coerce.number().default(6) }))],
  ])('get what the schema makes of their arguments: %s', async (_, inputSchema) => {
    const double = tool({
      inputSchema: inputSchema as z.ZodType<{ n: number }>,
      execute: ({ n }) => [typeof n, n * 2],
    });
    expect(await printed('print(await double())', { double })).toBe("['number', 12]");
  });

  it('check the JSON Schema of jsonSchema, and what else it validates', async () => {
    const pay = tool({
      inputSchema: jsonSchema<{ amount: number }>(
        { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
        {
          validate: (value) => {
            const { amount } = value as { amount: number };
            return amount > 100
              ? { success: false, error: new Error('too much') }
              : { success: true, value: { amount: amount + 1 } };
          },
        },
      ),
      execute: ({ amount }) => amount,
    });
    expect(await printed('print(await pay(amount=7))', { pay })).toBe('8');
    expect(await printed('await pay(amount=700)', { pay })).toContain('too much');
    expect(await printed('await pay(amount="all")', { pay })).toContain('InvalidArguments');
  });

  it('tell the model their description, examples and result', () => {
    const [find] = aiSdkTools({
      find: tool({
        description: 'Finds orders.',
        inputSchema: z.object({ customer: z.string() }),
        inputExamples: [{ input: { customer: 'ACME' } }],
        outputSchema: z.array(z.number()),
        execute: () => [7],
      }),
    });
    expect(find).toMatchObject({
      name: 'find',
      description: 'Finds orders.',
      inputSchema: { properties: { customer: { type: 'string' } } },
      inputExamples: [{ customer: 'ACME' }],
      outputSchema: { type: 'array', items: { type: 'number' } },
    });
  });

  it('get the signal, the id of the call and the context', async () => {
    let options: unknown;
    const look = tool({
      inputSchema: z.object({}),
      execute: (_input, given) => {
        options = given;
        return 'seen';
      },
    });
    expect(await printed('print(await look())', { look }, { user: 'Ana' })).toBe('seen');
    expect(options).toMatchObject({
      toolCallId: expect.any(String),
      messages: [],
      abortSignal: expect.any(AbortSignal),
      context: { user: 'Ana' },
      experimental_context: { user: 'Ana' },
    });
  });

  it('return the last of several results', async () => {
    const count = tool({
      inputSchema: z.object({}),
      async *execute() {
        yield 1;
        yield 2;
      },
    });
    expect(await printed('print(await count())', { count })).toBe('2');
  });

  it('that need approval are refused, and no others', async () => {
    const pay = tool({
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: async ({ amount }) => amount > 100,
      execute: ({ amount }) => `paid ${amount}`,
    });
    expect(await printed('print(await pay(amount=7))', { pay })).toBe('paid 7');
    expect(await printed('print(await pay(amount=700))', { pay })).toContain('needs approval');
    const always = { ...pay, needsApproval: true };
    expect(await printed('print(await pay(amount=7))', { pay: always })).toContain(
      'needs approval',
    );
  });

  it.each<[string, object, RegExp]>([
    ['no execute', { inputSchema: z.object({}) }, /no execute.*Leave it out/],
    [
      'a description that depends on a request',
      { inputSchema: z.object({}), description: () => 'It.', execute: () => 1 },
      /description is a function.*Pass the tool with a text/,
    ],
    [
      'a schema that is not there yet',
      { inputSchema: jsonSchema(Promise.resolve({ type: 'object' })), execute: () => 1 },
      /JSON Schema of its inputSchema is not there yet/,
    ],
    [
      'a schema of no object',
      { inputSchema: z.string(), execute: () => 1 },
      /not an object schema/,
    ],
  ])('with %s are refused with what to do', (_, wrong, message) => {
    expect(thrownBy(() => aiSdkTools({ wrong } as never))).toMatchObject({
      code: 'TOOL_INVALID',
      message: expect.stringMatching(message),
      details: { tool: 'wrong' },
    });
  });
});
