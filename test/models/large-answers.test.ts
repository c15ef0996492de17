import { describe, expect, it } from 'vitest';
import { OpenAIAnswer } from '../../src/models/openai/answer.ts';
import { openaiModel } from '../../src/models/openai/model.ts';
import { costOfGrowth, LINEAR } from '../fuzz/judgements.ts';
import { converse, refusalOf } from '../orchestrator/support.ts';
import { answer, callDelta, chunk, startOpenAIServer } from '../support/openai-server.ts';
import type { ChatReply } from '../support/openai-server.ts';
import { scriptedModel } from '../../src/models/scripted.ts';

function answerOfCalls(count: number): ChatReply {
  const calls = Array.from({ length: count }, (_, index) =>
    chunk(callDelta(index, '{}', { id: `call ${index}`, name: 'execute_code' })),
  );
  return { chunks: [...calls, chunk({}, 'tool_calls')], ending: 'done' };
}

describe('an answer with far more than a model writes', () => {
  it('is assembled in a time that grows with its length', async () => {
    // Few enough that most rounds leave too little garbage for V8 to go through the whole heap, which other tests filled.
    const cost = await costOfGrowth(500, (count) => {
      const assembled = new OpenAIAnswer();
      for (let index = 0; index < count; index += 1) {
        const delta = callDelta(index, '{}', { id: `call ${index}`, name: 'execute_code' });
        assembled.take({ choices: [{ delta }] }).next();
      }
    });
    expect(cost).toBeLessThan(LINEAR);
  });

  it('is refused from its 1001st call on, and nothing of it runs [waiting/answer-programs, waiting/answer-results, waiting/model-answer]', async () => {
    await using server = await startOpenAIServer([answerOfCalls(1001), answer([{ content: '!' }])]);
    const model = openaiModel({ model: 'gpt-test', apiKey: 'key', baseUrl: server.baseUrl });
    const { orchestrator, provider } = converse([], { model, maxRetries: 0 });
    expect(await refusalOf(orchestrator.run('Go.'))).toMatchObject({
      code: 'MODEL_ANSWER_INVALID',
      message: expect.stringContaining('more than 1000 tool calls'),
    });
    expect(provider.created.size).toBe(0);
  });

  it('is refused if it has more than 16,777,216 characters [waiting/answer-programs, waiting/model-answer]', async () => {
    const script = [[{ type: 'text', text: 'x'.repeat(16 * 1024 * 1024 + 1) }]] as const;
    const { orchestrator } = converse([], { model: scriptedModel(script) });
    expect(await refusalOf(orchestrator.run('Go.'))).toMatchObject({
      code: 'MODEL_ANSWER_INVALID',
      message: expect.stringContaining('16777216 characters'),
    });
  });
});
