import { describe, expect, it } from 'vitest';
import { AiSdkAnswer } from '../../src/ai-sdk/model/answer.ts';
import { AnthropicAnswer } from '../../src/models/anthropic/answer.ts';
import { anthropicModel } from '../../src/models/anthropic/model.ts';
import { bedrockModel } from '../../src/models/bedrock/model.ts';
import type { LanguageModel, ModelStreamPart } from '../../src/models/language-model.ts';
import { meaningOf } from '../../src/models/shared/error-meaning.ts';
import { OpenAIAnswer } from '../../src/models/openai/answer.ts';
import { openaiModel } from '../../src/models/openai/model.ts';
import { costOfGrowth, LINEAR } from '../fuzz/judgements.ts';
import { converse, refusalOf } from '../orchestrator/support.ts';
import { startAnthropicServer, wholeAnswer } from '../support/anthropic-server.ts';
import { startBedrockServer } from '../support/bedrock-server.ts';
import { failureOf, request } from '../support/model-requests.ts';
import { answer, callDelta, chunk, startOpenAIServer } from '../support/openai-server.ts';
import type { ChatReply } from '../support/openai-server.ts';
import { scriptedModel } from '../../src/models/scripted.ts';

function answerOfCalls(count: number): ChatReply {
  const calls = Array.from({ length: count }, (_, index) =>
    chunk(callDelta(index, '{}', { id: `call ${index}`, name: 'execute_code' })),
  );
  return { chunks: [...calls, chunk({}, 'tool_calls')], ending: 'done' };
}

it('the message of an error is searched in a time that grows with its length', async () => {
  const cost = await costOfGrowth(500, (count) => {
    meaningOf([], 'input token count '.repeat(count));
  });
  expect(cost).toBeLessThan(LINEAR);
});

describe('an answer with far more than a model writes', () => {
  it('is assembled in a time that grows with its length', async () => {
    // Few enough that most rounds leave too little garbage for V8 to go through the whole heap, which other tests filled.
    const cost = await costOfGrowth(500, (count) => {
      const assembled = new OpenAIAnswer('gpt-test', () => '');
      for (let index = 0; index < count; index += 1) {
        const delta = callDelta(index, '{}', { id: `call ${index}`, name: 'execute_code' });
        assembled.take({ choices: [{ delta }] }).next();
      }
    });
    expect(cost).toBeLessThan(LINEAR);
  });

  const many = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, index]));

  it('is assembled in such a time also if it has many counts and many events (Anthropic)', async () => {
    const cost = await costOfGrowth(500, (count) => {
      const assembled = new AnthropicAnswer('claude');
      assembled.take({ type: 'message_start', message: { usage: many(count) } }).next();
      for (let index = 0; index < count; index += 1) {
        assembled.take({ type: 'message_delta', usage: { output_tokens: index } }).next();
      }
    });
    expect(cost).toBeLessThan(LINEAR);
  });

  it('is assembled in such a time also if its parts have much metadata (AI SDK)', async () => {
    const cost = await costOfGrowth(500, (count) => {
      const assembled = new AiSdkAnswer('one');
      const delta = { type: 'text-delta', id: 'a', delta: 'x' };
      assembled.take({ ...delta, providerMetadata: { test: many(count) } }).next();
      for (let index = 0; index < count; index += 1) {
        assembled.take({ ...delta, providerMetadata: { test: { last: index } } }).next();
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

  it.each([7, ['x'], { length: 0 }])(
    'is not counted by texts that are none: %j is refused',
    async (text) => {
      const parts = [{ type: 'text-delta', text }] as unknown as ModelStreamPart[];
      const model: LanguageModel = {
        id: 'odd',
        async *stream() {
          yield* parts;
          yield* scriptedModel([[{ type: 'text', text: 'Tea.' }]]).stream(request());
        },
      };
      const { orchestrator } = converse([], { model });
      expect(await refusalOf(orchestrator.run('Go.'))).toMatchObject({
        code: 'MODEL_ANSWER_INVALID',
        message: expect.stringContaining('a text that is not a string'),
      });
    },
  );

  it('is refused from its 10,001st part on', async () => {
    const indices = Array.from({ length: 10_001 }, (_, index) => index);
    const block = { type: 'text', text: '' };
    const [start, ...end] = wholeAnswer({});
    const starts = indices.map((index) => {
      return { type: 'content_block_start', index, content_block: block };
    });
    await using anthropic = await startAnthropicServer([
      { events: [start!, ...starts, ...end], ending: 'end' },
    ]);
    const { baseUrl } = anthropic;
    const invalid = {
      code: 'MODEL_ANSWER_INVALID',
      message: expect.stringContaining('more than 10000 parts'),
    };
    const claude = anthropicModel({ model: 'claude', apiKey: 'k', baseUrl });
    expect((await failureOf(claude)).error).toMatchObject(invalid);

    const deltas = indices.map((contentBlockIndex) => {
      return { event: 'contentBlockDelta', fields: { contentBlockIndex, delta: { text: '' } } };
    });
    const stop = { event: 'messageStop', fields: { stopReason: 'end_turn' } };
    await using bedrock = await startBedrockServer([{ events: [...deltas, stop], ending: 'end' }]);
    const nova = bedrockModel({ model: 'nova', client: bedrock.client });
    expect((await failureOf(nova)).error).toMatchObject(invalid);
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
