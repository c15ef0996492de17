import { afterEach, describe, expect, it, vi } from 'vitest';
import Anthropic from '@anthropic-ai/sdk';
import { anthropicModel } from '../../../src/models/anthropic/model.ts';
import type { ModelMessage, ModelRequest } from '../../../src/models/language-model.ts';
import { startAnthropicServer, wholeAnswer } from '../../support/anthropic-server.ts';
import { ask, failureOf, question } from '../../support/model-requests.ts';

const thinking = { type: 'thinking', thinking: 'Hm.', signature: 's' } as const;
const breakpoint = { cache_control: { type: 'ephemeral' } };

/** The requests that the service gets for these, in order. */
async function sent(...changes: readonly Partial<ModelRequest>[]): Promise<unknown[]> {
  const replies = changes.map(() => ({ events: wholeAnswer({}), ending: 'end' }) as const);
  await using server = await startAnthropicServer(replies);
  const model = anthropicModel({ model: 'claude-test', apiKey: 'k', baseUrl: server.baseUrl });
  for (const change of changes) await ask(model, change);
  return server.requests.map(({ body }) => body);
}

function withoutMessages(body: unknown): string {
  return JSON.stringify(body, (key, value: unknown) => (key === 'messages' ? undefined : value));
}

describe('a request to the Anthropic API', () => {
  it('marks tools, system text and conversation for the cache', async () => {
    const tool = { name: 'lookup', description: 'Looks up.', inputSchema: { type: 'object' } };
    const [body] = await sent({
      tools: [tool, { ...tool, name: 'other', inputExamples: [{ a: 1 }], strict: true }],
    });
    expect(body).toEqual({
      model: 'claude-test',
      max_tokens: 1024,
      stream: true,
      system: [{ type: 'text', text: 'Answer briefly.', ...breakpoint }],
      tools: [
        { name: 'lookup', description: 'Looks up.', input_schema: { type: 'object' } },
        {
          name: 'other',
          description: 'Looks up.',
          input_schema: { type: 'object' },
          input_examples: [{ a: 1 }],
          strict: true,
          ...breakpoint,
        },
      ],
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Which orders are the largest?', ...breakpoint }],
        },
      ],
    });
  });

  it('has a text instead of a use of server tools without a result', async () => {
    const value = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
    const result = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] };
    const paused: ModelMessage = { role: 'assistant', content: [{ type: 'opaque', value }] };
    const served: ModelMessage = {
      role: 'assistant',
      content: [
        { type: 'opaque', value },
        { type: 'opaque', value: result },
      ],
    };
    const bodies = await sent(
      { messages: [question, paused, question] },
      // The service goes on with it.
      { messages: [question, paused] },
      { messages: [question, served, question] },
    );
    const answers = bodies.map(
      (body) => (body as { messages: { content: unknown[] }[] }).messages[1]?.content,
    );
    const text = '[This answer was cut off while web_search was used. Its result is not known.]';
    expect(answers).toEqual([[{ type: 'text', text }], [value], [value, result]]);
  });

  it('starts with the same text every turn, and moves only the last mark', async () => {
    const second: ModelMessage[] = [
      question,
      {
        role: 'assistant',
        content: [{ type: 'tool-use', id: 'a', name: 'execute_code', input: {} }],
      },
      {
        role: 'user',
        content: [{ type: 'tool-result', toolUseId: 'a', text: '1', isError: false }],
      },
    ];
    const [one, two] = await sent({}, { messages: second });
    expect(withoutMessages(two)).toBe(withoutMessages(one));
    expect(two).toMatchObject({
      messages: [
        { content: [{ text: 'Which orders are the largest?' }] },
        {},
        { content: [{ type: 'tool_result', ...breakpoint }] },
      ],
    });
    expect(JSON.stringify(two).match(/"cache_control"/g)).toHaveLength(3);
  });

  it.each([
    ['is only thinking', [thinking]],
    ['has blank text after its thinking', [thinking, { type: 'text', text: '\n' }]],
  ] as const)(
    'leaves out an earlier answer that %s, and sends the questions around it as one',
    async (_, content) => {
      const [body] = await sent({
        messages: [question, { role: 'assistant', content }, question],
      });
      const [asked] = question.content;
      expect(body).toMatchObject({ messages: [{ role: 'user', content: [asked, asked] }] });
    },
  );

  it('leaves out the thinking at the end of an earlier answer', async () => {
    const content = [{ type: 'text', text: 'So far.' }, thinking] as const;
    const [body] = await sent({ messages: [question, { role: 'assistant', content }, question] });
    expect(body).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'text', text: 'So far.' }] },
        { role: 'user' },
      ],
    });
  });

  it('puts the mark before thinking, which cannot have one', async () => {
    const [body] = await sent({
      messages: [
        question,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'So far.' },
            { type: 'thinking', thinking: 'Hm.', signature: 's' },
          ],
        },
      ],
    });
    expect(body).toMatchObject({
      messages: [
        {},
        {
          content: [
            { type: 'text', text: 'So far.', ...breakpoint },
            { type: 'thinking', thinking: 'Hm.', signature: 's' },
          ],
        },
      ],
    });
  });

  it('leaves out blank texts, which the service would refuse', async () => {
    const [body] = await sent({
      system: ' ',
      tools: [],
      messages: [
        question,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: '\n' },
            { type: 'tool-use', id: 'a', name: 'find', input: {} },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool-result', toolUseId: 'a', text: '', isError: true }],
        },
      ],
    });
    expect(body).toEqual({
      model: 'claude-test',
      max_tokens: 1024,
      stream: true,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Which orders are the largest?' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'find', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, ...breakpoint }],
        },
      ],
    });
  });
});

describe('the connection to the Anthropic API', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('uses a client that it is given, and asks for the thinking it is told', async () => {
    await using server = await startAnthropicServer([{ events: wholeAnswer({}), ending: 'end' }]);
    vi.stubEnv('ANTHROPIC_API_KEY', undefined);
    const client = new Anthropic({ apiKey: 'my-own-key', baseURL: server.baseUrl });
    await ask(anthropicModel({ model: 'claude-test', client, thinking: { type: 'adaptive' } }));
    expect(server.requests[0]).toMatchObject({
      headers: { authorization: 'Bearer my-own-key' },
      body: { thinking: { type: 'adaptive' } },
    });
  });

  it('needs a key only at the first request, and then says which variable to set', async () => {
    for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_PROFILE']) {
      vi.stubEnv(name, undefined);
    }
    vi.stubEnv('ANTHROPIC_CONFIG_DIR', '/nonexistent');
    await using server = await startAnthropicServer([]);
    const model = anthropicModel({ model: 'claude-test', baseUrl: server.baseUrl });
    const { error } = await failureOf(model);
    expect(error).toMatchObject({
      code: 'MODEL_AUTHENTICATION_FAILED',
      message: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
    expect(server.requests).toEqual([]);
  });
});
