import { describe, expect, it } from 'vitest';
import { openaiModel } from '../../../src/models/openai/model.ts';
import type {
  LanguageModel,
  ModelMessage,
  ModelStreamPart,
} from '../../../src/models/language-model.ts';
import { ask, endOf, failureOf, question } from '../../support/model-requests.ts';
import {
  answer,
  callDelta,
  chunk,
  startOpenAIServer,
  usageChunk,
} from '../../support/openai-server.ts';
import type { ChatReply } from '../../support/openai-server.ts';

const name = 'execute_code';

function modelAt(baseUrl: string): LanguageModel {
  return openaiModel({ model: 'gpt-test', apiKey: 'test-key', baseUrl });
}

async function partsOf(reply: ChatReply): Promise<ModelStreamPart[]> {
  await using server = await startOpenAIServer([reply]);
  return await ask(modelAt(server.baseUrl));
}

async function endOfAnswer(...of: Parameters<typeof answer>): Promise<ReturnType<typeof endOf>> {
  return endOf(await partsOf(answer(...of)));
}

/** The tool calls of an answer whose one delta each of these is a piece of. */
async function callsOf(...pieces: readonly object[]): Promise<unknown> {
  const { content } = await endOfAnswer(
    pieces.map((piece) => ({ tool_calls: [piece] })),
    'tool_calls',
  );
  return content;
}

describe('an answer from the Chat Completions API', () => {
  it('streams text in pieces and gives the whole of it at the end', async () => {
    const pieces = ['The largest is 7. ', '🎉', ' Überraschung!'];
    const parts = await partsOf(answer(pieces.map((content) => ({ content }))));
    expect(parts).toEqual([
      ...pieces.map((text) => ({ type: 'text-delta', text })),
      {
        type: 'answer-ended',
        content: [{ type: 'text', text: pieces.join('') }],
        stopReason: 'end',
        rawStopReason: 'stop',
        usage: { inputTokens: 10, outputTokens: 20, cachedInputTokens: 0 },
      },
    ]);
  });

  it('puts tool calls together whose arguments come by turns, split at awkward places', async () => {
    const deltas = [
      { content: 'I look it up.' },
      callDelta(0, '', { id: 'a', name }),
      callDelta(1, '{"co', { id: 'b', name }),
      callDelta(0, '{"code": "print(\\'),
      callDelta(1, 'de": "1"'),
      callDelta(0, '"h\\u00'),
      callDelta(1, '}'),
      callDelta(0, 'e9\\n\\")"}'),
    ];
    const parts = await partsOf(answer(deltas, 'tool_calls'));
    expect(parts.filter((part) => part.type === 'tool-use-started')).toEqual([
      { type: 'tool-use-started', id: 'a', name },
      { type: 'tool-use-started', id: 'b', name },
    ]);
    const pieces = parts.filter((part) => part.type === 'tool-input-delta');
    expect(pieces.map(({ id }) => id).join('')).toBe('bababa');
    expect(endOf(parts)).toMatchObject({
      stopReason: 'tool-use',
      rawStopReason: 'tool_calls',
      content: [
        { type: 'text', text: 'I look it up.' },
        { type: 'tool-use', id: 'a', name, input: { code: 'print("hé\n")' } },
        { type: 'tool-use', id: 'b', name, input: { code: '1' } },
      ],
    });
  });

  it.each([
    ['', {}],
    ['{"code": ', undefined],
    ['{"code": }', undefined],
    ['["code"]', undefined],
    ['null', undefined],
    ['{} {}', undefined],
  ])('keeps a tool call whose arguments are %j, with %j as its input', async (json, input) => {
    const { content } = await endOfAnswer([callDelta(0, json, { id: 'a', name })], 'tool_calls');
    expect(content).toEqual([{ type: 'tool-use', id: 'a', name, input }]);
  });

  it('tells calls apart that all have one index', async () => {
    const call = (id: string): object => ({
      index: 0,
      id,
      function: { name, arguments: `{"code":"${id}"}` },
    });
    expect(await callsOf(call('a'), call('b'))).toEqual([
      { type: 'tool-use', id: 'a', name, input: { code: 'a' } },
      { type: 'tool-use', id: 'b', name, input: { code: 'b' } },
    ]);
  });

  it('tells calls apart that have one index and no ids', async () => {
    const call = (code: string): object => ({
      index: 0,
      id: '',
      function: { name, arguments: JSON.stringify({ code }) },
    });
    const other = { index: 0, function: { name: 'wait', arguments: '{}' } };
    const id = expect.stringMatching(/^call_./);
    expect(await callsOf(call('"}'), call('\\'), other, call('{'))).toEqual([
      { type: 'tool-use', id, name, input: { code: '"}' } },
      { type: 'tool-use', id, name, input: { code: '\\' } },
      { type: 'tool-use', id, name: 'wait', input: {} },
      { type: 'tool-use', id, name, input: { code: '{' } },
    ]);
  });

  it('keeps a call together whose pieces have all its name and no id', async () => {
    const pieces = ['', '{"code":', '"}', '{}', '"', ',"a":{}', '}', ' ', ''];
    const calls = await callsOf(
      ...pieces.map((text) => ({ index: 0, function: { name, arguments: text } })),
    );
    const id = expect.stringMatching(/^call_./);
    expect(calls).toEqual([{ type: 'tool-use', id, name, input: { code: '}{}', a: {} } }]);
  });

  it('keeps a call together whose pieces have each an id, or none', async () => {
    const calls = await callsOf(
      { index: 0, id: 'a', function: { name, arguments: '{"code"' } },
      { index: 0, id: 'other', function: { name: null, arguments: ':' } },
      { index: 0, id: '', function: { name: '', arguments: '"1' } },
      { index: 0, function: { name, arguments: '"' } },
      { index: 0, id: 'a', function: { name, arguments: '}' } },
    );
    expect(calls).toEqual([{ type: 'tool-use', id: 'a', name, input: { code: '1' } }]);
  });

  it('gives calls an id of their own where the service gives none', async () => {
    const calls = await callsOf({ index: 0, function: { name } }, { index: 1, function: { name } });
    expect(calls).toEqual([
      // OpenAI accepts at most 40 characters.
      { type: 'tool-use', id: expect.stringMatching(/^call_.{1,35}$/), name, input: {} },
      { type: 'tool-use', id: expect.stringMatching(/^call_.{1,35}$/), name, input: {} },
    ]);
    expect(new Set((calls as { id: string }[]).map(({ id }) => id)).size).toBe(2);
  });

  it.each(['reasoning_content', 'reasoning'])(
    'shows the thinking that a service streams as %s, which is not a part of the text',
    async (field) => {
      const parts = await partsOf(
        answer([{ [field]: 'Hm, ', content: null }, { [field]: 'tea.' }, { content: 'Tea.' }]),
      );
      expect(parts.slice(0, -1)).toEqual([
        { type: 'thinking-delta', text: 'Hm, ' },
        { type: 'thinking-delta', text: 'tea.' },
        { type: 'text-delta', text: 'Tea.' },
      ]);
      expect(endOf(parts).content.filter(({ type }) => type !== 'opaque')).toEqual([
        { type: 'text', text: 'Tea.' },
      ]);
    },
  );

  it.each([
    ['DeepSeek’s thinking', { reasoning_content: 'Hm.' }, {}],
    ['thinking of others', { reasoning: 'Hm.' }, {}],
    ['Gemini’s signature of a call', {}, { extra_content: { google: { thought_signature: 's' } } }],
  ])('goes back with %s, which the service wants with the result', async (_, thinking, extra) => {
    const calls = [
      { index: 0, id: 'a', function: { name, arguments: '{}' } },
      { index: 1, id: 'b', function: { name, arguments: '{}' }, ...extra },
    ];
    await using server = await startOpenAIServer([
      answer([thinking, { tool_calls: calls }], 'tool_calls'),
      answer([{ content: 'Tea.' }]),
    ]);
    const model = modelAt(server.baseUrl);
    const { content } = endOf(await ask(model));
    const results = ['a', 'b'].map(
      (id) => ({ type: 'tool-result', toolUseId: id, text: '1', isError: false }) as const,
    );
    const messages = [question, { role: 'assistant', content }, { role: 'user', content: results }];
    await ask(model, { messages: messages as ModelMessage[] });
    const called = { type: 'function', function: { name, arguments: '{}' } };
    const sent = {
      role: 'assistant',
      content: null,
      ...thinking,
      tool_calls: [
        { id: 'a', ...called },
        { id: 'b', ...called, ...extra },
      ],
    };
    // After the system's and the user's.
    expect(server.requests[1]?.body).toHaveProperty('messages.2', sent);
  });

  it('that declines in its own words is a refusal', async () => {
    expect(await endOfAnswer([{ refusal: 'I cannot ' }, { refusal: 'do that.' }])).toMatchObject({
      content: [{ type: 'text', text: 'I cannot do that.' }],
      stopReason: 'refusal',
      rawStopReason: 'stop',
    });
  });

  const text = { content: 'Tea.' };
  const call = callDelta(0, '{}', { id: 'a', name });
  it.each([
    ['stop', text, 'end'],
    ['stop', call, 'tool-use'],
    ['eos', text, 'end'],
    ['eos', call, 'tool-use'],
    ['tool_calls', call, 'tool-use'],
    ['tool_calls', text, 'end'],
    ['function_call', call, 'tool-use'],
    ['length', call, 'max-tokens'],
    ['content_filter', text, 'refusal'],
    ['tea_break', text, 'unknown'],
  ])('that stopped for %s after %j is reported as %s', async (raw, delta, stopReason) => {
    expect(await endOfAnswer([delta], raw)).toMatchObject({ stopReason, rawStopReason: raw });
  });

  it('counts the tokens, which of them were cached, and the tier that served it', async () => {
    const usage = {
      prompt_tokens: 1200,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 1000, cache_write_tokens: 150 },
    };
    const parts = await partsOf({
      chunks: [
        { ...chunk(text), service_tier: 'flex' },
        { ...usageChunk(usage), service_tier: null },
        chunk({}, 'stop'),
      ],
      ending: 'done',
    });
    expect(endOf(parts).usage).toEqual({
      inputTokens: 1200,
      outputTokens: 50,
      cachedInputTokens: 1000,
      cacheWriteInputTokens: 150,
      answersByServiceTier: { flex: 1 },
    });
  });

  it('of a service that sends little is whole all the same, with no tokens counted', async () => {
    const parts = await partsOf({
      chunks: [
        ': KEEP-ALIVE',
        { choices: [], prompt_filter_results: [] },
        { choices: [{ delta: { content: 'Tea.' }, finish_reason: '' }] },
        { choices: [{ finish_reason: 'stop' }] },
        { choices: [{ delta: {}, finish_reason: '' }] },
        {},
      ],
      ending: 'end',
    });
    expect(endOf(parts)).toEqual({
      type: 'answer-ended',
      content: [{ type: 'text', text: 'Tea.' }],
      stopReason: 'end',
      rawStopReason: 'stop',
      usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
    });
  });

  it.each([
    ['content that is not text', { content: [{ type: 'thinking', thinking: [] }] }],
    ['a tool call without a name', callDelta(0, '{}')],
    ['a tool input that is not text', { tool_calls: [{ function: { name, arguments: {} } }] }],
  ])('with %s is an error, and nothing of it is dropped in silence', async (_, delta) => {
    await using server = await startOpenAIServer([answer([delta])]);
    expect((await failureOf(modelAt(server.baseUrl))).error.code).toBe('MODEL_REQUEST_FAILED');
  });
});
