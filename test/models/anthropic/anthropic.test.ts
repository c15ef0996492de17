import { describe, expect, it } from 'vitest';
import { anthropicModel } from '../../../src/models/anthropic/model.ts';
import type { WireAnswer } from '../../support/messages-events.ts';
import { PtcError } from '../../../src/shared/errors.ts';
import { startAnthropicServer, wholeAnswer } from '../../support/anthropic-server.ts';
import type { AnthropicServer } from '../../support/anthropic-server.ts';
import { ask, endOf, question } from '../../support/model-requests.ts';

function modelAt(server: AnthropicServer): ReturnType<typeof anthropicModel> {
  return anthropicModel({ model: 'claude-test', apiKey: 'test-key', baseUrl: server.baseUrl });
}

async function endOfAnswer(answer: Partial<WireAnswer>): Promise<ReturnType<typeof endOf>> {
  await using server = await startAnthropicServer([{ events: wholeAnswer(answer), ending: 'end' }]);
  return endOf(await ask(modelAt(server)));
}

describe('an answer from the Anthropic API', () => {
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
      content: [{ type: 'text', text }],
      stopReason: 'end',
      rawStopReason: 'end_turn',
    });
  });

  it('puts tool calls together whose input is split at awkward places', async () => {
    const events = [
      { type: 'content_block_start', index: 0, content_block: toolUse('a') },
      ...['', '{"co', 'de": "print(\\', '"h\\u00', 'e9\\n\\"', ')"', '}'].map((partial_json) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: toolUse('b') },
      { type: 'content_block_stop', index: 1 },
    ];
    const [start, ping, ...end] = wholeAnswer({ stopReason: 'tool_use' });
    await using server = await startAnthropicServer([
      { events: [start!, ping!, ...events, ...end], ending: 'end' },
    ]);
    const parts = await ask(modelAt(server));
    expect(parts.filter((part) => part.type === 'tool-use-started')).toEqual([
      { type: 'tool-use-started', id: 'a', name: 'execute_code' },
      { type: 'tool-use-started', id: 'b', name: 'execute_code' },
    ]);
    expect(endOf(parts)).toMatchObject({
      stopReason: 'tool-use',
      content: [
        { type: 'tool-use', id: 'a', name: 'execute_code', input: { code: 'print("hé\n")' } },
        { type: 'tool-use', id: 'b', name: 'execute_code', input: {} },
      ],
    });
  });

  it.each(['{"code": ', '{"code": }', '["code"]', '"code"', 'null', '{} {}'])(
    'keeps a tool call whose input is %s, without an input',
    async (partial_json) => {
      const [start, ping, ...end] = wholeAnswer({ stopReason: 'tool_use' });
      await using server = await startAnthropicServer([
        {
          events: [
            start!,
            ping!,
            { type: 'content_block_start', index: 0, content_block: toolUse('a') },
            {
              type: 'content_block_delta',
              index: 0,
              delta: { type: 'input_json_delta', partial_json },
            },
            { type: 'content_block_stop', index: 0 },
            ...end,
          ],
          ending: 'end',
        },
        { events: wholeAnswer({}), ending: 'end' },
      ]);
      const { content } = endOf(await ask(modelAt(server)));
      expect(content).toEqual([
        { type: 'tool-use', id: 'a', name: 'execute_code', input: undefined },
      ]);

      await ask(modelAt(server), { messages: [question, { role: 'assistant', content }] });
      expect(server.requests[1]?.body).toMatchObject({
        messages: [{}, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', input: {} }] }],
      });
    },
  );

  it('sends thinking back just as it came', async () => {
    const blocks: WireAnswer['content'] = [
      {
        type: 'thinking',
        thinking: 'I need the orders of all regions.',
        signature: 'EqQBCgIYAh==',
      },
      { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix==' },
      { type: 'tool_use', id: 'a', name: 'execute_code', input: { code: 'print(1)' } },
    ];
    await using server = await startAnthropicServer([
      { events: wholeAnswer({ content: blocks, stopReason: 'tool_use' }), ending: 'end' },
      { events: wholeAnswer({}), ending: 'end' },
    ]);
    const parts = await ask(modelAt(server));
    expect(parts).toContainEqual({ type: 'thinking-delta', text: 'I need the order' });
    const { content } = endOf(parts);
    await ask(modelAt(server), {
      messages: [
        question,
        { role: 'assistant', content },
        {
          role: 'user',
          content: [{ type: 'tool-result', toolUseId: 'a', text: '1\n', isError: false }],
        },
      ],
    });
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', content: blocks },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', content: '1\n', is_error: false }],
        },
      ],
    });
  });

  it("sends what the service's own tools did back just as it came", async () => {
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [{ url: 'u' }] };
    const [start, ping, ...end] = wholeAnswer({ stopReason: 'pause_turn' });
    await using server = await startAnthropicServer([
      {
        events: [
          start!,
          ping!,
          { type: 'content_block_start', index: 0, content_block: search },
          {
            type: 'content_block_delta',
            index: 0,
            delta: { type: 'input_json_delta', partial_json: '{"query":"tea"}' },
          },
          { type: 'content_block_stop', index: 0 },
          { type: 'content_block_start', index: 1, content_block: found },
          { type: 'content_block_stop', index: 1 },
          ...end,
        ],
        ending: 'end',
      },
      { events: wholeAnswer({}), ending: 'end' },
    ]);
    const { content, stopReason } = endOf(await ask(modelAt(server)));
    expect(stopReason).toBe('pause');
    await ask(modelAt(server), { messages: [question, { role: 'assistant', content }] });
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        {},
        { role: 'assistant', content: [{ ...search, input: { query: 'tea' } }, found] },
      ],
    });
  });

  it.each([
    ['text', 'end', { type: 'text', text: 'Tea.' }],
    ['a block that only the service knows', 'MODEL_REQUEST_FAILED', { type: 'tea_leaves' }],
  ])('that adds something unknown to %s ends in %s', async (_, outcome, block) => {
    const [start, ping, ...end] = wholeAnswer({});
    const delta = { type: 'tea_delta', tea: 'green' };
    const events = [
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
    ];
    await using server = await startAnthropicServer([
      { events: [start!, ping!, ...events, ...end], ending: 'end' },
    ]);
    const ended = await ask(modelAt(server)).then(
      (parts) => endOf(parts).stopReason,
      (error: unknown) => (PtcError.isInstance(error) ? error.code : error),
    );
    expect(ended).toBe(outcome);
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

  it.each([
    [
      { ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 150 },
      { '5m': 50, '1h': 150 },
    ],
    [{ ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 0 }, { '5m': 200 }],
    [null, undefined],
  ])('says how long the cache keeps what was written to it: %j', async (creation, expected) => {
    const usage = {
      input_tokens: 7,
      output_tokens: 50,
      cache_creation_input_tokens: 200,
      cache_read_input_tokens: 0,
      cache_creation: creation,
    };
    const end = await endOfAnswer({ usage });
    expect(end.usage.cacheWriteInputTokens).toBe(200);
    expect(end.usage.cacheWritesByTtl).toEqual(expected);
  });

  it('keeps the counts of its start that its end leaves out or has as null', async () => {
    const [start, ...events] = wholeAnswer({});
    const counts = { input_tokens: 7, cache_read_input_tokens: 9, output_tokens: 1 };
    const message = { usage: { ...counts, service_tier: 'priority' } };
    const end = {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: null, output_tokens: 50 },
    };
    await using server = await startAnthropicServer([
      { events: [{ ...start!, message }, end, events.at(-1)!], ending: 'end' },
    ]);
    expect(endOf(await ask(modelAt(server))).usage).toEqual({
      inputTokens: 16,
      outputTokens: 50,
      cachedInputTokens: 9,
      answersByServiceTier: { priority: 1 },
    });
  });

  it('whose thinking is left out, but for its signature, goes back just as it came', async () => {
    const thinking = { type: 'thinking', thinking: '', signature: 'EqQBCgIYAh==' } as const;
    await using server = await startAnthropicServer([
      { events: wholeAnswer({ content: [thinking] }), ending: 'end' },
      { events: wholeAnswer({}), ending: 'end' },
    ]);
    const { content } = endOf(await ask(modelAt(server)));
    await ask(modelAt(server), { messages: [question, { role: 'assistant', content }] });
    expect(server.requests[1]?.body).toMatchObject({ messages: [{}, { content: [thinking] }] });
  });
});

function toolUse(id: string): object {
  return { type: 'tool_use', id, name: 'execute_code', input: {} };
}
