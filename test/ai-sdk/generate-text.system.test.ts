import { randomUUID } from 'node:crypto';
import { generateText, stepCountIs, tool } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { executeCodeTool } from '../../src/ai-sdk/index.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { modelThat, resultsIn } from './support.ts';

const stock = tool({
  description: 'The stock of an item.',
  inputSchema: z.object({ item: z.string() }),
  execute: ({ item }) => (item === 'tea' ? 40 : 2),
});

describeWithBubblewrap('generateText with execute_code in bubblewrap', () => {
  it('runs the program of the model, and gives it what the program printed', async () => {
    await using executor = new SandboxExecutor({ provider: 'bubblewrap' });
    const code = 'print(await stock("tea") + await stock("cups"))';
    const model = modelThat({ code }, { text: 'There are 42.' });
    const execute_code = executeCodeTool({ executor, sessionKey: randomUUID(), tools: { stock } });
    const tools = { execute_code };
    const { text } = await generateText({
      model,
      tools,
      stopWhen: stepCountIs(3),
      prompt: 'How many?',
    });
    expect(text).toBe('There are 42.');
    expect(resultsIn(model)).toEqual([{ type: 'text', value: '42' }]);
  });
});
