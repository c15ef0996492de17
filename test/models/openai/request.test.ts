import { AzureOpenAI, OpenAI } from 'openai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModelRequest } from '../../../src/models/language-model.ts';
import { openaiModel } from '../../../src/models/openai/model.ts';
import type { OpenAIModelOptions } from '../../../src/models/openai/model.ts';
import { ask, failureOf, question } from '../../support/model-requests.ts';
import { answer, startOpenAIServer } from '../../support/openai-server.ts';

/** The body that the service gets for this request. */
async function sent(
  changes: Partial<ModelRequest>,
  options: Partial<OpenAIModelOptions> = {},
): Promise<unknown> {
  await using server = await startOpenAIServer([answer([])]);
  const { baseUrl } = server;
  await ask(openaiModel({ model: 'gpt-test', apiKey: 'k', baseUrl, ...options }), changes);
  return server.requests[0]?.body;
}

describe('a request to the Chat Completions API', () => {
  it('has the system text as a message, tools as functions, and asks for the token counts', async () => {
    const tool = { name: 'lookup', description: 'Looks up.', inputSchema: { type: 'object' } };
    const tools = [
      tool,
      { ...tool, name: 'other', inputExamples: [{ id: 7 }, { id: 8 }], strict: true },
    ];
    expect(await sent({ tools })).toEqual({
      model: 'gpt-test',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 1024,
      messages: [
        { role: 'system', content: 'Answer briefly.' },
        { role: 'user', content: 'Which orders are the largest?' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'lookup',
            description: 'Looks up.',
            parameters: { type: 'object' },
          },
        },
        {
          type: 'function',
          function: {
            name: 'other',
            description:
              'Looks up.\nExample of arguments: {"id":7}\nExample of arguments: {"id":8}',
            parameters: { type: 'object' },
            strict: true,
          },
        },
      ],
    });
  });

  it('has tool calls and a message for each result, in which errors say that they are', async () => {
    const name = 'execute_code';
    const body = await sent({
      messages: [
        question,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look it up.' },
            { type: 'tool-use', id: 'a', name, input: { code: 'print("é")' } },
            { type: 'tool-use', id: 'b', name, input: undefined },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hurry.' },
            { type: 'tool-result', toolUseId: 'a', text: 'é\n', isError: false },
            { type: 'tool-result', toolUseId: 'b', text: 'No code.', isError: true },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool-use', id: 'c', name, input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool-result', toolUseId: 'c', text: '', isError: false }],
        },
      ],
    });
    const call = (id: string, args: string): object => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    });
    expect(body).toMatchObject({
      messages: [
        { role: 'system' },
        { role: 'user' },
        {
          role: 'assistant',
          content: 'I look it up.',
          tool_calls: [call('a', '{"code":"print(\\"é\\")"}'), call('b', '{}')],
        },
        { role: 'tool', tool_call_id: 'a', content: 'é\n' },
        { role: 'tool', tool_call_id: 'b', content: 'Error: No code.' },
        { role: 'user', content: 'Hurry.' },
        { role: 'assistant', content: null, tool_calls: [call('c', '{}')] },
        { role: 'tool', tool_call_id: 'c', content: '(nothing)' },
      ],
    });
  });

  it('leaves out blank texts, and what only another service understands', async () => {
    const body = await sent({
      system: ' ',
      tools: [],
      messages: [
        question,
        { role: 'assistant', content: [{ type: 'text', text: '\n' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 's' },
            { type: 'opaque', value: { type: 'server_tool_use' } },
            { type: 'text', text: 'So far.' },
            { type: 'text', text: ' ' },
            { type: 'text', text: 'So good.' },
          ],
        },
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] },
      ],
    });
    expect(body).toEqual({
      model: 'gpt-test',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 1024,
      messages: [
        { role: 'user', content: 'Which orders are the largest?' },
        { role: 'assistant', content: 'So far.\nSo good.' },
      ],
    });
  });

  it.each([
    ['https://api.openai.com/v1', 'max_completion_tokens'],
    ['https://eu.api.openai.com/v1', 'max_completion_tokens'],
    ['https://resource.openai.azure.com/openai/v1', 'max_completion_tokens'],
    ['https://resource.openai.azure.us/openai/v1', 'max_completion_tokens'],
    ['https://resource.openai.azure.cn/openai/v1', 'max_completion_tokens'],
    ['https://openrouter.ai/api/v1', 'max_tokens'],
    ['https://resource.openai.us/v1', 'max_tokens'],
    ['https://notopenai.com/v1', 'max_tokens'],
    ['https://openai.com.example.org/v1', 'max_tokens'],
    ['https://example.org/openai.com', 'max_tokens'],
  ])('to %s limits the answer with %s', async (baseURL, field) => {
    await using server = await startOpenAIServer([answer([])]);
    const client = new OpenAI({
      apiKey: 'k',
      baseURL,
      fetch: (_, init) => fetch(server.baseUrl, init),
    });
    await ask(openaiModel({ model: 'gpt-test', client }));
    expect(limitsIn(server.requests[0]?.body)).toEqual({ [field]: 1024 });
  });

  it('to Azure, through its own client, limits the answer with max_completion_tokens', async () => {
    await using server = await startOpenAIServer([answer([])]);
    const client = new AzureOpenAI({
      apiKey: 'k',
      apiVersion: '2025-04-01-preview',
      endpoint: 'https://resource.openai.azure.com',
      fetch: (_, init) => fetch(server.baseUrl, init),
    });
    await ask(openaiModel({ model: 'gpt-test', client }));
    expect(limitsIn(server.requests[0]?.body)).toEqual({ max_completion_tokens: 1024 });
  });

  it('limits the answer with the field that it is told', async () => {
    const body = await sent({}, { maxTokensField: 'max_completion_tokens' });
    expect(limitsIn(body)).toEqual({ max_completion_tokens: 1024 });
  });
});

describe('the connection to the Chat Completions API', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('goes by the environment where no options say otherwise', async () => {
    await using server = await startOpenAIServer([answer([]), answer([])]);
    vi.stubEnv('OPENAI_API_KEY', 'key-of-the-environment');
    vi.stubEnv('OPENAI_BASE_URL', server.baseUrl);
    const model = openaiModel({ model: 'gpt-test' });
    await ask(model);
    await ask(model);
    expect(server.requests).toMatchObject([
      {
        path: '/v1/chat/completions',
        headers: { authorization: 'Bearer key-of-the-environment' },
      },
      {},
    ]);
  });

  it('uses a client that it is given', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    await using server = await startOpenAIServer([answer([])]);
    const client = new OpenAI({ apiKey: 'my-own-key', baseURL: server.baseUrl });
    await ask(openaiModel({ model: 'gpt-test', client }));
    expect(server.requests[0]?.headers.authorization).toBe('Bearer my-own-key');
  });

  it('needs a key only at the first request, and then says which variable to set', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    vi.stubEnv('OPENAI_ADMIN_KEY', undefined);
    await using server = await startOpenAIServer([]);
    const model = openaiModel({ model: 'gpt-test', baseUrl: server.baseUrl });
    const { error } = await failureOf(model);
    expect(error).toMatchObject({
      code: 'MODEL_AUTHENTICATION_FAILED',
      message: expect.stringContaining('OPENAI_API_KEY'),
    });
    expect(server.requests).toEqual([]);
  });
});

function limitsIn(body: unknown): object {
  const limits = Object.entries(body ?? {}).filter(([key]) => key.startsWith('max_'));
  return Object.fromEntries(limits);
}
