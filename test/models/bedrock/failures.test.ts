import { afterEach, describe, expect, it, vi } from 'vitest';
import { bedrockModel } from '../../../src/models/bedrock/model.ts';
import type { LanguageModel } from '../../../src/models/language-model.ts';
import { startBedrockServer } from '../../support/bedrock-server.ts';
import type { BedrockServer, ConverseEvent } from '../../support/bedrock-server.ts';
import { failureInMidStream, failureOf, request } from '../../support/model-requests.ts';

const toolCall: ConverseEvent[] = [
  { event: 'messageStart', fields: { role: 'assistant' } },
  {
    event: 'contentBlockStart',
    fields: {
      contentBlockIndex: 0,
      start: { toolUse: { toolUseId: 'a', name: 'execute_code' } },
    },
  },
  {
    event: 'contentBlockDelta',
    fields: {
      contentBlockIndex: 0,
      delta: { toolUse: { input: '{"code": "await delete_all()"}' } },
    },
  },
];

function modelAt({ client }: BedrockServer): LanguageModel {
  return bedrockModel({ model: 'amazon.test-v1', client });
}

describe('a request that Bedrock refuses', () => {
  it.each([
    [403, 'AccessDeniedException', 'MODEL_AUTHENTICATION_FAILED'],
    [403, 'UnrecognizedClientException', 'MODEL_AUTHENTICATION_FAILED'],
    [403, 'ExpiredTokenException', 'MODEL_AUTHENTICATION_FAILED'],
    [429, 'ThrottlingException', 'MODEL_OVERLOADED'],
    [503, 'ServiceUnavailableException', 'MODEL_OVERLOADED'],
    [408, 'ModelTimeoutException', 'MODEL_OVERLOADED'],
    [529, 'SomethingNewException', 'MODEL_OVERLOADED'],
    [400, 'ValidationException', 'MODEL_REQUEST_FAILED'],
    [404, 'ResourceNotFoundException', 'MODEL_REQUEST_FAILED'],
    [500, 'InternalServerException', 'MODEL_REQUEST_FAILED'],
  ])('with %i %s is %s', async (status, exception, code) => {
    await using server = await startBedrockServer([{ status, exception, message: 'It is so.' }]);
    const { error } = await failureOf(modelAt(server));
    expect(error).toMatchObject({
      code,
      message: expect.stringContaining('It is so.'),
      details: { model: 'amazon.test-v1', name: exception, status, requestId: 'request-test' },
    });
    expect(error.message.includes('AWS_PROFILE')).toBe(code === 'MODEL_AUTHENTICATION_FAILED');
  });

  it.each([
    'Input is too long for requested model.',
    'The model returned the following errors: prompt is too long: 903884 tokens > 200000 maximum',
    'The model returned the following errors: input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
    "This model's maximum context length is 202752 tokens. However, you requested 65536 output tokens.",
  ])('for its length says what to do: %s', async (message) => {
    const reply = { status: 400, exception: 'ValidationException', message };
    await using server = await startBedrockServer([reply]);
    expect((await failureOf(modelAt(server))).error).toMatchObject({
      code: 'MODEL_CONTEXT_EXCEEDED',
      message: expect.stringContaining(message),
      details: { status: 400 },
    });
  });

  it('for too many tokens a minute is overloaded, which passes', async () => {
    const message = 'Too many tokens, please wait before trying again.';
    const reply = { status: 429, exception: 'ThrottlingException', message };
    await using server = await startBedrockServer([reply, reply, reply]);
    expect((await failureOf(modelAt(server))).error.code).toBe('MODEL_OVERLOADED');
  });

  it('cannot be made where nothing listens', async () => {
    const server = await startBedrockServer([]);
    await server[Symbol.asyncDispose]();
    expect((await failureOf(modelAt(server))).error.code).toBe('MODEL_REQUEST_FAILED');
  });
});

describe('a request without settings', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each([
    ['the region', undefined, 'MODEL_REQUEST_FAILED', 'AWS_REGION'],
    ['credentials', 'us-east-1', 'MODEL_AUTHENTICATION_FAILED', 'AWS_ACCESS_KEY_ID'],
  ])('for %s says which variable to set', async (_, region, code, variable) => {
    for (const name of Object.keys(process.env)) {
      if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
    }
    vi.stubEnv('AWS_CONFIG_FILE', '/nonexistent');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nonexistent');
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    const model = bedrockModel({
      model: 'amazon.test-v1',
      ...(region === undefined ? {} : { region }),
    });
    const { error } = await failureOf(model);
    expect(error).toMatchObject({ code, message: expect.stringContaining(variable) });
  });
});

describe('an answer that breaks off', () => {
  it.each(['cut', 'end', 'tear'] as const)(
    'in a tool call, with its connection in state %s, gives nothing to run [case 109]',
    async (ending) => {
      await using server = await startBedrockServer([{ events: toolCall, ending }]);
      const { parts, error } = await failureOf(modelAt(server));
      expect(error.code).toBe('MODEL_STREAM_CUT');
      expect(parts[0]).toEqual({ type: 'tool-use-started', id: 'a', name: 'execute_code' });
      expect(parts.filter((part) => part.type === 'answer-ended')).toEqual([]);
    },
  );

  it.each([
    ['throttlingException', 'MODEL_OVERLOADED'],
    ['serviceUnavailableException', 'MODEL_OVERLOADED'],
    ['modelTimeoutException', 'MODEL_OVERLOADED'],
    ['internalServerException', 'MODEL_REQUEST_FAILED'],
    ['validationException', 'MODEL_REQUEST_FAILED'],
    ['modelStreamErrorException', 'MODEL_REQUEST_FAILED'],
    ['somethingNewException', 'MODEL_REQUEST_FAILED'],
  ])('with a %s is %s', async (exception, code) => {
    const fault = { exception, fields: { message: 'It happened.' } };
    await using server = await startBedrockServer([
      { events: [...toolCall, fault], ending: 'end' },
    ]);
    const { parts, error } = await failureOf(modelAt(server));
    expect(error).toMatchObject({ code, message: expect.stringContaining('It happened.') });
    expect(parts.filter((part) => part.type === 'answer-ended')).toEqual([]);
  });

  it.each(['malformed_tool_use', 'malformed_model_output'])(
    'with %s gives nothing to run, and may be asked again',
    async (stopReason) => {
      const stop = { event: 'messageStop', fields: { stopReason } };
      await using server = await startBedrockServer([
        { events: [...toolCall, stop], ending: 'end' },
      ]);
      const { parts, error } = await failureOf(modelAt(server));
      expect(error).toMatchObject({
        code: 'MODEL_REQUEST_FAILED',
        message: expect.stringContaining(stopReason),
        details: { stopReason, retriedByClient: false },
      });
      expect(parts.filter((part) => part.type === 'answer-ended')).toEqual([]);
    },
  );

  it("with the model's own overload is overloaded", async () => {
    const fields = { message: 'Too busy.', originalStatusCode: 529 };
    await using server = await startBedrockServer([
      { events: [...toolCall, { exception: 'modelStreamErrorException', fields }], ending: 'end' },
    ]);
    expect((await failureOf(modelAt(server))).error.code).toBe('MODEL_OVERLOADED');
  });
});

describe('a request that its caller aborts', () => {
  it('beforehand is never sent', async () => {
    await using server = await startBedrockServer([]);
    const { error } = await failureOf(modelAt(server), { signal: AbortSignal.abort() });
    expect(error.code).toBe('ABORTED');
    expect(server.requests).toEqual([]);
  });

  it('in mid-stream ends, and the service sees the connection close', async () => {
    await using server = await startBedrockServer([{ events: toolCall, ending: 'hang' }]);
    const { parts, error, reason } = await failureInMidStream(modelAt(server));
    expect(error).toMatchObject({ code: 'ABORTED', cause: reason });
    expect(parts.filter((part) => part.type === 'answer-ended')).toEqual([]);
    await expect(server.clientGone).resolves.toEqual([]);
  });

  it('ends if the caller stops reading', async () => {
    await using server = await startBedrockServer([{ events: toolCall, ending: 'hang' }]);
    for await (const part of modelAt(server).stream(request())) {
      if (part.type === 'tool-use-started') break;
    }
    await expect(server.clientGone).resolves.toEqual([]);
  });
});
