import { describe, expect, it } from 'vitest';
import { aiSdkModel } from '../../../src/ai-sdk/index.ts';
import type { LanguageModel } from '../../../src/models/language-model.ts';
import { linkedPdf, png } from '../../support/media.ts';
import { ask, endOf, failureOf, question } from '../../support/model-requests.ts';
import { answer, callDelta, chunk, startOpenAIServer } from '../../support/openai-server.ts';
import type { ChatReply, OpenAIServer } from '../../support/openai-server.ts';
import { openaiAt } from './providers.ts';

const name = 'execute_code';
const modelAt = ({ baseUrl }: OpenAIServer): LanguageModel => aiSdkModel(openaiAt(baseUrl));

async function failureAfter(reply: ChatReply): ReturnType<typeof failureOf> {
  await using server = await startOpenAIServer([reply]);
  return await failureOf(modelAt(server));
}

describe('an answer through @ai-sdk/openai-compatible', () => {
  it('has thinking, text, tool calls and the token counts', async () => {
    await using server = await startOpenAIServer([
      answer(
        [
          { reasoning_content: 'Hm.' },
          { content: 'I look it up.' },
          callDelta(0, '', { id: 'a', name }),
          callDelta(0, '{"code":'),
          callDelta(0, '"1"}'),
        ],
        'tool_calls',
      ),
    ]);
    const parts = await ask(modelAt(server));
    expect(parts).toContainEqual({ type: 'thinking-delta', text: 'Hm.' });
    expect(parts).toContainEqual({ type: 'text-delta', text: 'I look it up.' });
    expect(endOf(parts)).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'I look it up.' },
        { type: 'tool-use', id: 'a', name, input: { code: '1' } },
      ],
      stopReason: 'tool-use',
      rawStopReason: 'tool_calls',
      usage: { inputTokens: 10, outputTokens: 20 },
    });
  });

  it.each([
    ['stop', 'end'],
    ['tool_calls', 'end'],
    ['length', 'max-tokens'],
    ['content_filter', 'refusal'],
    ['tea_break', 'unknown'],
  ])('that stopped for %s is reported as %s', async (raw, stopReason) => {
    await using server = await startOpenAIServer([answer([{ content: 'Tea.' }], raw)]);
    expect(endOf(await ask(modelAt(server)))).toMatchObject({ stopReason, rawStopReason: raw });
  });

  it.each(['cut', 'end', 'done'] as const)(
    'that breaks off in a tool call, with its connection in state %s, gives nothing to run [case 109]',
    async (ending) => {
      const chunks = [
        chunk({ role: 'assistant', content: 'I look it up.' }),
        chunk(callDelta(0, '', { id: 'a', name })),
        chunk(callDelta(0, '{"code": "await delete_all()"}')),
      ];
      const { parts, error } = await failureAfter({ chunks, ending });
      expect(error.code).toBe('MODEL_STREAM_CUT');
      expect(parts.filter((part) => part.type === 'answer-ended')).toEqual([]);
    },
  );
});

describe('a request through @ai-sdk/openai-compatible', () => {
  it('has the settings, the tools, the messages and images', async () => {
    await using server = await startOpenAIServer([answer([])]);
    const call = { type: 'tool-use', id: 'a', name, input: { code: '1' } } as const;
    const result = { type: 'tool-result', toolUseId: 'a', text: '', isError: false } as const;
    await ask(modelAt(server), {
      temperature: 0.5,
      topP: 0.9,
      stopSequences: ['END'],
      toolChoice: 'any',
      messages: [
        question,
        { role: 'assistant', content: [{ type: 'text', text: ' ' }, call] },
        { role: 'user', content: [png, result] },
      ],
    });
    expect(server.requests[0]?.body).toMatchObject({
      model: 'gpt-test',
      max_tokens: 1024,
      temperature: 0.5,
      top_p: 0.9,
      stop: ['END'],
      tool_choice: 'required',
      tools: [{ function: { name, description: 'Runs Python.' } }],
      messages: [
        { role: 'system', content: 'Answer briefly.' },
        { role: 'user' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', function: { name, arguments: '{"code":"1"}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: '(nothing)' },
        { role: 'user', content: [{ type: 'image_url' }] },
      ],
    });
  });

  it('with a URL that the service does not fetch is refused before anything is sent', async () => {
    await using server = await startOpenAIServer([]);
    const messages = [{ role: 'user', content: [linkedPdf] }] as const;
    expect((await failureOf(modelAt(server), { messages })).error).toMatchObject({
      code: 'MODEL_INPUT_UNSUPPORTED',
      details: { message: 0, block: 0 },
    });
    expect(server.requests).toEqual([]);
  });

  it.each([
    [401, 'MODEL_AUTHENTICATION_FAILED'],
    [429, 'MODEL_OVERLOADED'],
    [404, 'MODEL_REQUEST_FAILED'],
  ])(
    'that is refused with %i has the code %s and the words of the service',
    async (status, code) => {
      const { error } = await failureAfter({ status, body: { error: { message: 'It is so.' } } });
      expect(error).toMatchObject({ code, message: expect.stringContaining('It is so.') });
    },
  );
});
