import { randomUUID } from 'node:crypto';
import { generateText, stepCountIs, streamText, tool, ToolLoopAgent } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { executeCodeTool } from '../../../src/ai-sdk/index.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { useBench } from '../../support/bench.ts';
import { modelThat, resultsIn } from '../support.ts';

const bench = useBench();

let options: unknown;
const stock = tool({
  description: 'The stock of an item.',
  inputSchema: z.object({ item: z.string() }),
  execute: ({ item }, given) => {
    options = given;
    return item === 'tea' ? 40 : 2;
  },
});

/** A request that routes `stock` to programs. The types here are those of version 6, which has no such option. */
function request(executor = bench.executor): object {
  return {
    tools: { execute_code: executeCodeTool({ executor, sessionKey: randomUUID() }), stock },
    experimental_toolCallers: { stock: ['execute_code'] },
    stopWhen: stepCountIs(4),
  };
}

const code = 'print(await stock("tea") + await stock("cups"))';

describe('execute_code as a tool caller', () => {
  it.each<[string, (settings: object) => Promise<unknown>]>([
    [
      'generateText',
      async (settings) => generateText({ ...settings, prompt: 'How many?' } as never),
    ],
    [
      'streamText',
      async (settings) => streamText({ ...settings, prompt: 'How many?' } as never).consumeStream(),
    ],
    [
      'an agent',
      async (settings) => new ToolLoopAgent(settings as never).generate({ prompt: 'How many?' }),
    ],
  ])(
    'has programs call the tools that %s routes to it, which the model does not see',
    async (_, ask) => {
      const model = modelThat({ code }, { text: 'There are 42.' });
      await ask({ ...request(), model });
      expect(resultsIn(model)).toEqual([{ type: 'text', value: '42' }]);
      const [call] = [...model.doGenerateCalls, ...model.doStreamCalls];
      expect(call?.tools).toMatchObject([
        { name: 'execute_code', description: expect.stringContaining('stock(') },
      ]);
    },
  );

  it('passes on the context of execute_code and the messages', async () => {
    const model = modelThat({ code }, { text: 'There are 42.' });
    const context: object = { toolsContext: { execute_code: { user: 'Ana' } } };
    await generateText({ ...request(), ...context, model, prompt: 'How many?' });
    expect(options).toMatchObject({
      context: { user: 'Ana' },
      messages: [{ role: 'user', content: 'How many?' }],
    });
  });

  it('ends a request with an error of the host, and the model never gets it', async () => {
    const executor = new SandboxExecutor();
    await executor.close();
    const model = modelThat({ code }, { text: 'I am sorry.' });
    const asked = generateText({ ...request(executor), model, prompt: 'How many?' });
    await expect(asked).rejects.toMatchObject({ code: 'CLOSED' });
    const streamed = streamText({
      ...request(executor),
      model: modelThat({ code }, { text: 'I am sorry.' }),
      prompt: 'How many?',
      onError: () => {},
    });
    await expect(streamed.text).rejects.toMatchObject({ code: 'CLOSED' });
    expect(model.doGenerateCalls).toHaveLength(1);
  });

  it('refuses a routed tool that programs cannot call', async () => {
    const { tools, ...rest } = request() as { readonly tools: object };
    const given = { ...tools, stock: { inputSchema: z.object({}) } };
    const asked = generateText({
      ...rest,
      tools: given,
      model: modelThat({ code }),
      prompt: 'How many?',
    });
    await expect(asked).rejects.toMatchObject({ code: 'TOOL_INVALID' });
  });
});
