import { describe, expect, it } from 'vitest';
import { anthropicModel } from '../../../src/models/anthropic/model.ts';
import type { LanguageModel } from '../../../src/models/language-model.ts';
import { startAnthropicServer, wholeAnswer } from '../../support/anthropic-server.ts';
import type { AnthropicServer, Reply } from '../../support/anthropic-server.ts';
import {
  ask,
  endOf,
  failureInMidStream,
  failureOf,
  request,
} from '../../support/model-requests.ts';

const soon = { 'retry-after-ms': '5' };
const rateLimited: Reply = {
  status: 429,
  error: { type: 'rate_limit_error', message: 'Too many requests.' },
  headers: soon,
};
const overloaded: Reply = {
  status: 529,
  error: { type: 'overloaded_error', message: 'Overloaded.' },
  headers: soon,
};
const answered: Reply = {
  events: wholeAnswer({ content: [{ type: 'text', text: 'Order 7.' }] }),
  ending: 'end',
};
/** An answer with a tool call, of which the last `missing` events are left out. */
function toolCallWithout(missing: number): Extract<Reply, { events: unknown }>['events'] {
  return wholeAnswer({
    content: [
      { type: 'text', text: 'I look it up.' },
      { type: 'tool_use', id: 'a', name: 'execute_code', input: { code: 'await delete_all()' } },
    ],
    stopReason: 'tool_use',
  }).slice(0, -missing);
}

function modelAt(server: AnthropicServer, maxRetries?: number): LanguageModel {
  return anthropicModel({
    model: 'claude-test',
    apiKey: 'test-key',
    baseUrl: server.baseUrl,
    ...(maxRetries === undefined ? {} : { maxRetries }),
  });
}

async function failureAfter(...replies: readonly Reply[]): ReturnType<typeof failureOf> {
  await using server = await startAnthropicServer(replies);
  return await failureOf(modelAt(server));
}

describe('a request that the Anthropic API refuses', () => {
  it.each([
    [401, 'authentication_error'],
    [403, 'permission_error'],
  ])('with %i says which variable to set', async (status, type) => {
    const { error } = await failureAfter({ status, error: { type, message: 'No.' } });
    expect(error).toMatchObject({
      code: 'MODEL_AUTHENTICATION_FAILED',
      message: expect.stringContaining('ANTHROPIC_API_KEY'),
      details: { status, requestId: 'req_test' },
    });
  });

  it('with 429 is sent again after the time that the service asks for [case 108]', async () => {
    await using server = await startAnthropicServer([
      { ...rateLimited, headers: { 'retry-after': '0.7' } },
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
    await using server = await startAnthropicServer([{ ...rateLimited, headers }]);
    expect((await failureOf(modelAt(server))).error).toMatchObject({
      code: 'MODEL_OVERLOADED',
      message: expect.stringContaining('Try again in 86400 s'),
      details: { retryAfterMs: 86_400_000 },
    });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [429, rateLimited],
    [529, overloaded],
  ])('with %i every time is overloaded', async (status, reply) => {
    await using server = await startAnthropicServer([reply, reply, reply]);
    const { error } = await failureOf(modelAt(server));
    expect(error).toMatchObject({
      code: 'MODEL_OVERLOADED',
      details: { status, requestId: 'req_test', model: 'claude-test' },
    });
    expect(server.requests).toHaveLength(3);
  });

  it('is sent again as often as maxRetries says [case 108]', async () => {
    await using server = await startAnthropicServer([overloaded]);
    expect((await failureOf(modelAt(server, 0))).error.code).toBe('MODEL_OVERLOADED');
    expect(server.requests).toHaveLength(1);
  });

  it('with 500 every time has failed', async () => {
    const reply: Reply = {
      status: 500,
      error: { type: 'api_error', message: 'Internal server error.' },
      headers: soon,
    };
    expect((await failureAfter(reply, reply, reply)).error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      message: expect.stringContaining('Internal server error.'),
      details: { status: 500 },
    });
  });

  it('with 400 has failed at once', async () => {
    const error = { type: 'invalid_request_error', message: 'max_tokens: too large' };
    expect((await failureAfter({ status: 400, error })).error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      message: expect.stringContaining('max_tokens: too large'),
    });
  });

  it.each([
    [400, 'invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'],
    [
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
    ],
    [413, 'request_too_large', 'Request exceeds the maximum size'],
  ])('with %i %s for its length says what to do: %s', async (status, type, message) => {
    expect((await failureAfter({ status, error: { type, message } })).error).toMatchObject({
      code: 'MODEL_CONTEXT_EXCEEDED',
      message: expect.stringMatching(/Start a new conversation/),
      details: { status },
    });
  });

  it.each([
    [true, 529, 'before its answer began'],
    [false, 200, 'in the middle of its answer'],
  ])('for its overload is marked as retried by the client (%j) %i %s', async (retried, status) => {
    const fault = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded.' } };
    const replies: Reply[] =
      status === 529
        ? [overloaded, overloaded, overloaded]
        : [{ events: [...toolCallWithout(5), fault], ending: 'end' }];
    expect((await failureAfter(...replies)).error).toMatchObject({
      code: 'MODEL_OVERLOADED',
      details: { retriedByClient: retried },
    });
  });

  it('cannot be made where nothing listens', async () => {
    const { baseUrl, [Symbol.asyncDispose]: close } = await startAnthropicServer([]);
    await close();
    const model = anthropicModel({ model: 'claude-test', apiKey: 'k', baseUrl, maxRetries: 0 });
    expect((await failureOf(model)).error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      message: expect.stringMatching(/could not be reached: .*ECONNREFUSED/),
      details: { retriedByClient: true },
    });
  });
});

describe('an answer that breaks off', () => {
  it.each([
    ['in the middle of a tool input', 5, 'cut'],
    ['in the middle of a tool input, with the connection closed in order', 5, 'end'],
    ['before its last event', 1, 'cut'],
    ['before its last event, with the connection closed in order', 1, 'end'],
  ] as const)('%s gives nothing to run [case 109]', async (_, missing, ending) => {
    const { parts, error } = await failureAfter({ events: toolCallWithout(missing), ending });
    expect(error.code).toBe('MODEL_STREAM_CUT');
    expect(parts).toContainEqual({ type: 'tool-use-started', id: 'a', name: 'execute_code' });
    expect(parts.filter((part) => part.type === 'answer-ended')).toEqual([]);
  });

  it.each([
    ['overloaded_error', 'MODEL_OVERLOADED'],
    ['api_error', 'MODEL_REQUEST_FAILED'],
    ['authentication_error', 'MODEL_AUTHENTICATION_FAILED'],
  ])('with an event that tells of an %s is %s', async (type, code) => {
    const fault = { type: 'error', error: { type, message: 'It happened.' } };
    const { parts, error } = await failureAfter({
      events: [...toolCallWithout(5), fault],
      ending: 'end',
    });
    expect(error).toMatchObject({ code, message: expect.stringContaining('It happened.') });
    expect(parts.filter((part) => part.type === 'answer-ended')).toEqual([]);
  });
});

describe('a request that its caller aborts', () => {
  it('beforehand is never sent', async () => {
    await using server = await startAnthropicServer([answered]);
    const { error } = await failureOf(modelAt(server), { signal: AbortSignal.abort() });
    expect(error.code).toBe('ABORTED');
    expect(server.requests).toEqual([]);
  });

  it('in mid-stream ends, and the service sees the connection close', async () => {
    await using server = await startAnthropicServer([
      { events: toolCallWithout(5), ending: 'hang' },
    ]);
    const { parts, error, reason } = await failureInMidStream(modelAt(server));
    expect(error).toMatchObject({ code: 'ABORTED', cause: reason });
    expect(parts.filter((part) => part.type === 'answer-ended')).toEqual([]);
    await expect(server.clientGone).resolves.toEqual([]);
  });

  it('ends if the caller stops reading', async () => {
    await using server = await startAnthropicServer([
      { events: toolCallWithout(5), ending: 'hang' },
    ]);
    for await (const part of modelAt(server).stream(request())) {
      if (part.type === 'text-delta') break;
    }
    await expect(server.clientGone).resolves.toEqual([]);
  });
});
