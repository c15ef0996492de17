import { generateText, stepCountIs } from 'ai';
import { describe, expect, it } from 'vitest';
import { executeCodeTool } from '../../src/ai-sdk/index.ts';
import { useExecutors } from '../sessions/support.ts';
import { modelThat } from './support.ts';

const makeExecutor = useExecutors();

describe.each([{}, { yieldAfterMs: 300_000 }])('a key of a function, with %j', (options) => {
  it.each<[unknown, string]>([
    [undefined, 'not undefined'],
    ['', 'not ""'],
    [Promise.resolve('chat'), 'not an object'],
  ])('that is not a key ends the request: %j', async (key, what) => {
    const { executor, provider } = makeExecutor();
    const sessionKey = (): string => key as string;
    const model = modelThat({ code: 'print(1)' }, { text: 'Done.' });
    const tools = { execute_code: executeCodeTool({ executor, sessionKey, ...options }) };
    const asked = generateText({ model, tools, stopWhen: stepCountIs(2), prompt: 'Go.' });
    await expect(asked).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(`^sessionKey\\(call\\) must be text.*${what}`),
    });
    expect(provider.created.size).toBe(0);
  });
});
