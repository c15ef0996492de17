import { describe, expect, it } from 'vitest';
import { aiSdkModel } from '../../../src/ai-sdk/index.ts';
import type { LanguageModel } from '../../../src/models/language-model.ts';
import { startAnthropicServer, wholeAnswer } from '../../support/anthropic-server.ts';
import type { AnthropicServer, Reply } from '../../support/anthropic-server.ts';
import type { WireAnswer } from '../../support/messages-events.ts';
import { linkedImage, linkedPdf, pdf, plainText, png } from '../../support/media.ts';
import {
  ask,
  endOf,
  failureInMidStream,
  failureOf,
  question,
} from '../../support/model-requests.ts';
import { anthropicAt, withoutKey } from './providers.ts';

const modelAt = ({ baseUrl }: AnthropicServer): LanguageModel => aiSdkModel(anthropicAt(baseUrl));

async function endOfAnswer(answer: Partial<WireAnswer>): Promise<ReturnType<typeof endOf>> {
  await using server = await startAnthropicServer([{ events: wholeAnswer(answer), ending: 'end' }]);
  return endOf(await ask(modelAt(server)));
}

async function failureAfter(...replies: readonly Reply[]): ReturnType<typeof failureOf> {
  await using server = await startAnthropicServer(replies);
  return await failureOf(modelAt(server));
}

const call = {
  type: 'tool_use',
  id: 'a',
  name: 'execute_code',
  input: { code: 'print("hé\n")' },
} as const;

describe('an answer through @ai-sdk/anthropic', () => {
  it('streams text in pieces and gives the whole of it at the end', async () => {
    const text = 'The three largest orders are 7, 12 and 31. 🎉 Überraschung!';
    await using server = await startAnthropicServer([
      { events: wholeAnswer({ content: [{ type: 'text', text }] }), ending: 'end' },
    ]);
    const parts = await ask(modelAt(server));
    const deltas = parts.filter((part) => part.type === 'text-delta').map((part) => part.text);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(text);
    expect(endOf(parts)).toMatchObject({
      content: expect.arrayContaining([{ type: 'text', text }]),
      stopReason: 'end',
      rawStopReason: 'end_turn',
    });
  });

  it('puts tool calls together', async () => {
    await using server = await startAnthropicServer([
      { events: wholeAnswer({ content: [call], stopReason: 'tool_use' }), ending: 'end' },
    ]);
    const parts = await ask(modelAt(server));
    expect(parts[0]).toEqual({ type: 'tool-use-started', id: 'a', name: 'execute_code' });
    const json = parts.flatMap((part) => (part.type === 'tool-input-delta' ? [part.json] : []));
    expect(JSON.parse(json.join(''))).toEqual(call.input);
    expect(endOf(parts)).toMatchObject({
      stopReason: 'tool-use',
      content: expect.arrayContaining([
        { type: 'tool-use', id: 'a', name: 'execute_code', input: call.input },
      ]),
    });
  });

  it('sends thinking back just as it came', async () => {
    const blocks: WireAnswer['content'] = [
      {
        type: 'thinking',
        thinking: 'I need the orders of all regions.',
        signature: 'EqQBCgIYAh==',
      },
      { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix==' },
      call,
    ];
    await using server = await startAnthropicServer([
      { events: wholeAnswer({ content: blocks, stopReason: 'tool_use' }), ending: 'end' },
      { events: wholeAnswer({}), ending: 'end' },
    ]);
    const parts = await ask(modelAt(server));
    const thinking = parts.flatMap((part) => (part.type === 'thinking-delta' ? [part.text] : []));
    expect(thinking.join('')).toBe('I need the orders of all regions.');
    const { content } = endOf(parts);
    const result = { type: 'tool-result', toolUseId: 'a', text: '1\n', isError: true } as const;
    await ask(modelAt(server), {
      messages: [question, { role: 'assistant', content }, { role: 'user', content: [result] }],
    });
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', content: blocks },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', content: '1\n', is_error: true }],
        },
      ],
    });
  });

  it.each([
    ['end_turn', 'end'],
    ['stop_sequence', 'end'],
    ['tool_use', 'end'],
    ['max_tokens', 'max-tokens'],
    ['model_context_window_exceeded', 'context-window-exceeded'],
    ['pause_turn', 'pause'],
    ['refusal', 'refusal'],
    ['tea_break', 'unknown'],
  ])('that stopped for %s is reported as %s', async (rawStopReason, stopReason) => {
    const content = [{ type: 'text', text: 'Tea.' }] as const;
    const end = await endOfAnswer({ content, stopReason: rawStopReason });
    expect(end).toMatchObject({ stopReason, rawStopReason });
  });

  it('counts cached tokens as read tokens', async () => {
    const { usage } = await endOfAnswer({
      usage: {
        input_tokens: 7,
        output_tokens: 50,
        cache_creation_input_tokens: 200,
        cache_read_input_tokens: 1000,
      },
    });
    expect(usage).toEqual({
      inputTokens: 1207,
      outputTokens: 50,
      cachedInputTokens: 1000,
      cacheWriteInputTokens: 200,
    });
  });
});

describe('a request through @ai-sdk/anthropic', () => {
  it('has the settings, the tools and marks for the cache', async () => {
    await using server = await startAnthropicServer([{ events: wholeAnswer({}), ending: 'end' }]);
    await ask(modelAt(server), {
      stopSequences: ['END'],
      toolChoice: { tool: 'execute_code' },
    });
    const cache_control = { type: 'ephemeral' };
    expect(server.requests[0]?.body).toMatchObject({
      model: 'claude-test',
      max_tokens: 1024,
      stream: true,
      stop_sequences: ['END'],
      tool_choice: { type: 'tool', name: 'execute_code' },
      system: [{ type: 'text', text: 'Answer briefly.', cache_control }],
      tools: [{ name: 'execute_code', description: 'Runs Python.', cache_control }],
      messages: [{ role: 'user', content: [{ type: 'text', cache_control }] }],
    });
  });

  it('has images and documents', async () => {
    await using server = await startAnthropicServer([{ events: wholeAnswer({}), ending: 'end' }]);
    const content = [png, linkedImage, pdf, linkedPdf, plainText];
    await ask(modelAt(server), { messages: [{ role: 'user', content }] });
    const sent = server.requests[0]?.body as { messages: { content: object[] }[] } | undefined;
    expect(sent?.messages[0]?.content).toMatchObject([
      { type: 'image', source: { type: 'base64', media_type: 'image/png' } },
      { type: 'image', source: { type: 'url', url: 'https://example.org/cat.png' } },
      { type: 'document', title: 'Report of May.pdf', source: { type: 'base64' } },
      { type: 'document', source: { type: 'url', url: 'https://example.org/report.pdf' } },
      { type: 'document', title: 'Costs', source: { type: 'text', data: 'Rent: 800 €' } },
    ]);
  });
});

const refusal = (status: number, type = 'api_error', message = 'It is so.'): Reply => ({
  status,
  error: { type, message },
  headers: { 'retry-after': '2' },
});

describe('a request that the service refuses', () => {
  it.each([401, 403])('with %i is one without a valid key', async (status) => {
    const { error } = await failureAfter(refusal(status, 'authentication_error'));
    expect(error).toMatchObject({
      code: 'MODEL_AUTHENTICATION_FAILED',
      message: expect.stringContaining('It is so.'),
      details: { model: 'anthropic.messages/claude-test', status },
    });
  });

  it.each([429, 529])('with %i is overloaded, and says when to retry', async (status) => {
    const { error } = await failureAfter(refusal(status, 'overloaded_error'));
    expect(error).toMatchObject({
      code: 'MODEL_OVERLOADED',
      details: { status, retryAfterMs: 2000, retriedByClient: false },
    });
  });

  it('with 500 may be sent again, and with 400 not', async () => {
    const { error } = await failureAfter(refusal(500));
    expect(error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      message: 'The request to anthropic.messages/claude-test failed: It is so.',
      details: { status: 500, retriedByClient: false },
    });
    const { error: wrong } = await failureAfter(refusal(400, 'invalid_request_error'));
    expect(wrong.code).toBe('MODEL_REQUEST_FAILED');
    expect(wrong.details).not.toHaveProperty('retriedByClient');
  });

  it('for a conversation that is too long says what to do', async () => {
    const reply = refusal(400, 'invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum');
    expect((await failureAfter(reply)).error).toMatchObject({
      code: 'MODEL_CONTEXT_EXCEEDED',
      message: expect.stringMatching(/prompt is too long.*Start a new conversation/),
    });
  });

  it('cannot be made where nothing listens', async () => {
    const server = await startAnthropicServer([]);
    await server[Symbol.asyncDispose]();
    expect((await failureOf(modelAt(server))).error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('cannot be made without a key', async () => {
    const key = process.env['ANTHROPIC_API_KEY'];
    delete process.env['ANTHROPIC_API_KEY'];
    const { error } = await failureOf(aiSdkModel(withoutKey()));
    if (key !== undefined) process.env['ANTHROPIC_API_KEY'] = key;
    expect(error).toMatchObject({
      code: 'MODEL_AUTHENTICATION_FAILED',
      message: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
  });
});

describe('an answer that breaks off', () => {
  const begun = wholeAnswer({ content: [call], stopReason: 'tool_use' }).slice(0, 5);

  it.each(['cut', 'end'] as const)(
    'in a tool call, with its connection in state %s, gives nothing to run [case 109]',
    async (ending) => {
      const { parts, error } = await failureAfter({ events: begun, ending });
      expect(error.code).toBe('MODEL_STREAM_CUT');
      expect(parts).toContainEqual({ type: 'tool-use-started', id: 'a', name: 'execute_code' });
      expect(parts.filter((part) => part.type === 'answer-ended')).toEqual([]);
    },
  );

  it('because of an error of the service may be asked for again', async () => {
    const error = { type: 'overloaded_error', message: 'Busy.' };
    const failed = await failureAfter({
      events: [...begun, { type: 'error', error }],
      ending: 'end',
    });
    expect(failed.error).toMatchObject({
      code: 'MODEL_OVERLOADED',
      message: expect.stringContaining('Busy.'),
      details: { retriedByClient: false },
    });
  });

  it('because its reader aborts it closes the connection', async () => {
    await using server = await startAnthropicServer([{ events: begun, ending: 'hang' }]);
    const { error, reason } = await failureInMidStream(modelAt(server));
    expect(error.code).toBe('ABORTED');
    expect(error.cause).toBe(reason);
    await server.clientGone;
  });
});
