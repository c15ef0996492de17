import { OpenAI } from 'openai';
import { describe, expect, it } from 'vitest';
import type { LanguageModel } from '../../../src/models/language-model.ts';
import { openaiModel } from '../../../src/models/openai/model.ts';
import {
  ask,
  endOf,
  failureInMidStream,
  failureOf,
  request,
} from '../../support/model-requests.ts';
import { answer, callDelta, chunk, startOpenAIServer } from '../../support/openai-server.ts';
import type { ChatReply, OpenAIServer } from '../../support/openai-server.ts';

const answered = answer([{ content: 'Order 7.' }]);
const halfACall = [
  chunk({ role: 'assistant', content: 'I look it up.' }),
  chunk(callDelta(0, '', { id: 'a', name: 'execute_code' })),
  chunk(callDelta(0, '{"code": "await delete_all()"}')),
];

function refusal(status: number, error: object | string = { message: 'It is so.' }): ChatReply {
  return { status, body: { error }, headers: { 'retry-after-ms': '5' } };
}

function modelAt(server: OpenAIServer, maxRetries?: number): LanguageModel {
  return openaiModel({
    model: 'gpt-test',
    apiKey: 'test-key',
    baseUrl: server.baseUrl,
    ...(maxRetries === undefined ? {} : { maxRetries }),
  });
}

async function failureAfter(...replies: readonly ChatReply[]): ReturnType<typeof failureOf> {
  await using server = await startOpenAIServer(replies);
  return await failureOf(modelAt(server));
}

describe('a request that the service refuses', () => {
  it.each([401, 403])('with %i says which variable to set', async (status) => {
    const { error } = await failureAfter(refusal(status));
    expect(error).toMatchObject({
      code: 'MODEL_AUTHENTICATION_FAILED',
      message: expect.stringMatching(/It is so\. .*OPENAI_API_KEY/),
      details: { model: 'gpt-test', status, requestId: 'req_test' },
    });
  });

  it('with 429 is sent again after the time that the service asks for [case 108]', async () => {
    await using server = await startOpenAIServer([
      { ...refusal(429), headers: { 'retry-after': '0.7' } },
      answered,
    ]);
    const startedAt = performance.now();
    const { content } = endOf(await ask(modelAt(server)));
    // Left to itself the client would pause for at most half a second.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(690);
    expect(content).toEqual([{ type: 'text', text: 'Order 7.' }]);
    expect(server.requests).toHaveLength(2);
  });

  it('with 429 and a wait of a day fails at once, also if the wait in milliseconds is 0', async () => {
    const headers = { 'retry-after-ms': '0', 'retry-after': '86400' };
    await using server = await startOpenAIServer([{ ...refusal(429), headers }]);
    expect((await failureOf(modelAt(server))).error).toMatchObject({
      code: 'MODEL_OVERLOADED',
      message: expect.stringContaining('Try again in 86400 s'),
      details: { retryAfterMs: 86_400_000 },
    });
    expect(server.requests).toHaveLength(1);
  });

  it.each([429, 503, 529])('with %i every time is overloaded', async (status) => {
    const reply = refusal(status);
    await using server = await startOpenAIServer([reply, reply, reply]);
    expect((await failureOf(modelAt(server))).error).toMatchObject({
      code: 'MODEL_OVERLOADED',
      details: { status },
    });
    expect(server.requests).toHaveLength(3);
  });

  it('is sent again as often as maxRetries says', async () => {
    await using server = await startOpenAIServer([refusal(503)]);
    expect((await failureOf(modelAt(server, 0))).error.code).toBe('MODEL_OVERLOADED');
    expect(server.requests).toHaveLength(1);
  });

  it('for a conversation that is too long says what to do', async () => {
    const reply = refusal(400, {
      message: 'The limit is 128000 tokens.',
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    });
    expect((await failureAfter(reply)).error).toMatchObject({
      code: 'MODEL_CONTEXT_EXCEEDED',
      message: expect.stringMatching(/limit is 128000 tokens\. Start a new conversation/),
    });
  });

  it.each([
    // OpenAI and vLLM, llama.cpp, Gemini, LM Studio.
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    'the request exceeds the available context size, try increasing it',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
  ])('for a conversation that is too long is known by its words: %s', async (message) => {
    const { error } = await failureAfter(refusal(400, { message, type: 'invalid_request_error' }));
    expect(error).toMatchObject({
      code: 'MODEL_CONTEXT_EXCEEDED',
      message: expect.stringContaining(message),
    });
  });

  it('because of missing credit is not an overload', async () => {
    const reply = refusal(429, { message: 'You have no credit.', code: 'insufficient_quota' });
    expect((await failureAfter(reply, reply, reply)).error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      message: expect.stringContaining('You have no credit.'),
    });
  });

  it.each([
    [500, { message: 'It is so.', type: 'server_error' }],
    [400, { message: 'It is so.', type: 'invalid_request_error', code: 'unsupported_parameter' }],
    // Without a full stop, and as some local servers put it.
    [404, 'It is so'],
  ])('with %i has failed in its own words', async (status, error) => {
    const reply = refusal(status, error);
    expect((await failureAfter(reply, reply, reply)).error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      message: 'The request to gpt-test failed: It is so.',
      details: { status },
    });
  });

  it('whose error has another form has failed with the words of the service all the same', async () => {
    const reply = { status: 422, body: { detail: 'Extra inputs.' } };
    expect((await failureAfter(reply)).error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      message: expect.stringContaining('Extra inputs.'),
      details: { status: 422 },
    });
  });

  it('whose error breaks off has failed as its status says, and is not sent again', async () => {
    const { error } = await failureAfter({ ...refusal(401), ending: 'cut' });
    expect(error).toMatchObject({
      code: 'MODEL_AUTHENTICATION_FAILED',
      details: { status: 401 },
    });
  });

  it('with 503 is sent again although the body of the error does not end', async () => {
    await using server = await startOpenAIServer([{ ...refusal(503), ending: 'hang' }, answered]);
    expect(endOf(await ask(modelAt(server))).content).toHaveLength(1);
  });

  const tooLong = "This model's maximum context length is 8192 tokens.";
  it.each([
    ['vLLM before 2025', { object: 'error', message: tooLong, type: 'BadRequestError', code: 400 }],
    ['Gemini', [{ error: { code: 400, message: tooLong, status: 'INVALID_ARGUMENT' } }]],
  ])('for a conversation that is too long is known in the form of %s', async (_, body) => {
    expect((await failureAfter({ status: 400, body })).error).toMatchObject({
      code: 'MODEL_CONTEXT_EXCEEDED',
      message: expect.stringContaining(tooLong),
    });
  });

  it('cannot be made where nothing listens', async () => {
    const server = await startOpenAIServer([]);
    await server[Symbol.asyncDispose]();
    expect((await failureOf(modelAt(server, 0))).error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      message: expect.stringMatching(/could not be reached: .*ECONNREFUSED/),
      details: { retriedByClient: true },
    });
  });
});

describe('an answer that breaks off', () => {
  it.each(['cut', 'end', 'done'] as const)(
    'in a tool call, with its connection in state %s, gives nothing to run [case 109]',
    async (ending) => {
      const { parts, error } = await failureAfter({ chunks: halfACall, ending });
      expect(error.code).toBe('MODEL_STREAM_CUT');
      expect(parts).toContainEqual({ type: 'tool-use-started', id: 'a', name: 'execute_code' });
      expect(parts.filter((part) => part.type === 'answer-ended')).toEqual([]);
    },
  );

  it('in the middle of a chunk gives nothing to run', async () => {
    const torn = 'data: {"choices":[{"delta":{"content":"Te';
    await using server = await startOpenAIServer([{ chunks: [...halfACall, torn], ending: 'end' }]);
    const client = new OpenAI({ apiKey: 'k', baseURL: server.baseUrl, logLevel: 'off' });
    const { error } = await failureOf(openaiModel({ model: 'gpt-test', client }));
    expect(error.code).toBe('MODEL_STREAM_CUT');
  });

  it('is not waited for after the token counts, even if the connection stays open', async () => {
    const whole = answer([{ content: 'Tea.' }]);
    const chunks = 'chunks' in whole ? [...whole.chunks, 'data: [DONE]'] : [];
    await using server = await startOpenAIServer([{ chunks, ending: 'hang' }]);
    expect(endOf(await ask(modelAt(server)))).toMatchObject({
      content: [{ type: 'text', text: 'Tea.' }],
      usage: { inputTokens: 10, outputTokens: 20 },
    });
    await expect(server.clientGone).resolves.toEqual([]);
  });

  it('after its finish reason is whole, without the token counts', async () => {
    await using server = await startOpenAIServer([
      { chunks: [chunk({ content: 'Tea.' }), chunk({}, 'stop')], ending: 'cut' },
    ]);
    expect(endOf(await ask(modelAt(server)))).toMatchObject({
      content: [{ type: 'text', text: 'Tea.' }],
      stopReason: 'end',
      usage: { inputTokens: 0 },
    });
  });

  it.each([
    [{ type: 'server_error', message: 'It is so.' }, 'MODEL_REQUEST_FAILED', undefined],
    [{ code: 'rate_limit_exceeded', message: 'It is so.' }, 'MODEL_OVERLOADED', undefined],
    [{ type: 'overloaded_error', message: 'It is so.' }, 'MODEL_OVERLOADED', undefined],
    [{ code: 429, message: 'It is so.' }, 'MODEL_OVERLOADED', 429],
    [{ code: '503', message: 'It is so.' }, 'MODEL_OVERLOADED', 503],
    [{ code: 502, message: 'It is so.' }, 'MODEL_REQUEST_FAILED', 502],
    [{ code: 3001, message: 'It is so.' }, 'MODEL_REQUEST_FAILED', undefined],
    [{ code: 'invalid_api_key', message: 'It is so.' }, 'MODEL_AUTHENTICATION_FAILED', undefined],
    ['It is so.', 'MODEL_REQUEST_FAILED', undefined],
  ])('with the error %j is %s', async (fault, code, status) => {
    // As OpenRouter sends it: a last chunk that has both the error and a finish reason.
    const last = { ...chunk({}, 'error'), error: fault };
    const { parts, error } = await failureAfter({ chunks: [...halfACall, last], ending: 'done' });
    expect(error).toMatchObject({ code, message: expect.stringContaining(': It is so.') });
    expect(error.details).toMatchObject({ status, requestId: 'req_test' });
    expect(parts.filter((part) => part.type === 'answer-ended')).toEqual([]);
  });
});

describe('a request that its caller aborts', () => {
  it('beforehand is never sent', async () => {
    await using server = await startOpenAIServer([answered]);
    const { error } = await failureOf(modelAt(server), { signal: AbortSignal.abort() });
    expect(error.code).toBe('ABORTED');
    expect(server.requests).toEqual([]);
  });

  it('before the service answers ends at once', async () => {
    await using server = await startOpenAIServer([]);
    const controller = new AbortController();
    const reason = new Error('The user left.');
    const client = new OpenAI({
      apiKey: 'k',
      baseURL: server.baseUrl,
      fetch: (url, init) => {
        controller.abort(reason);
        return fetch(url, init);
      },
    });
    const model = openaiModel({ model: 'gpt-test', client });
    const { error } = await failureOf(model, { signal: controller.signal });
    expect(error).toMatchObject({ code: 'ABORTED', cause: reason });
  });

  it('in mid-stream ends, and the service sees the connection close', async () => {
    await using server = await startOpenAIServer([{ chunks: halfACall, ending: 'hang' }]);
    const { parts, error, reason } = await failureInMidStream(modelAt(server));
    expect(error).toMatchObject({ code: 'ABORTED', cause: reason });
    expect(parts.filter((part) => part.type === 'answer-ended')).toEqual([]);
    await expect(server.clientGone).resolves.toEqual([]);
  });

  it('ends if the caller stops reading', async () => {
    await using server = await startOpenAIServer([{ chunks: halfACall, ending: 'hang' }]);
    for await (const part of modelAt(server).stream(request())) {
      if (part.type === 'text-delta') break;
    }
    await expect(server.clientGone).resolves.toEqual([]);
  });
});
