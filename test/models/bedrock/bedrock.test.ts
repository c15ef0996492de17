import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { bedrockModel } from '../../../src/models/bedrock/model.ts';
import type { LanguageModel } from '../../../src/models/language-model.ts';
import { startBedrockServer } from '../../support/bedrock-server.ts';
import type { BedrockServer, ConverseEvent, ConverseReply } from '../../support/bedrock-server.ts';
import { ask, endOf, failureOf, question } from '../../support/model-requests.ts';

const model = 'us.anthropic.claude-test-v1:0';

function modelAt({ client }: BedrockServer, streaming = true): LanguageModel {
  return bedrockModel({ model, client, streaming });
}

function delta(index: number, piece: object): ConverseEvent {
  return { event: 'contentBlockDelta', fields: { contentBlockIndex: index, delta: piece } };
}

function toolStart(index: number, id: string): ConverseEvent {
  const toolUse = { toolUseId: id, name: 'execute_code' };
  return { event: 'contentBlockStart', fields: { contentBlockIndex: index, start: { toolUse } } };
}

/** A whole answer of these events, each block closed by the service in its own event. */
function answered(events: readonly ConverseEvent[], stopReason = 'end_turn'): ConverseReply {
  return {
    events: [
      { event: 'messageStart', fields: { role: 'assistant' } },
      ...events,
      { event: 'contentBlockStop', fields: { contentBlockIndex: 0 } },
      { event: 'messageStop', fields: { stopReason } },
      {
        event: 'metadata',
        fields: {
          usage: {
            inputTokens: 7,
            outputTokens: 50,
            totalTokens: 1257,
            cacheReadInputTokens: 1000,
            cacheWriteInputTokens: 200,
            cacheDetails: [
              { ttl: '1h', inputTokens: 150 },
              { ttl: '5m', inputTokens: 50 },
            ],
          },
          metrics: { latencyMs: 5 },
          serviceTier: { type: 'flex' },
        },
      },
    ],
    ending: 'end',
  };
}

describe('an answer from Bedrock', () => {
  it('streams text in pieces and gives the whole of it at the end', async () => {
    await using server = await startBedrockServer([
      answered([delta(0, { text: 'Order 7 🎉' }), delta(0, { text: ' is the largest.' })]),
    ]);
    const parts = await ask(modelAt(server));
    expect(parts).toEqual([
      { type: 'text-delta', text: 'Order 7 🎉' },
      { type: 'text-delta', text: ' is the largest.' },
      {
        type: 'answer-ended',
        content: [{ type: 'text', text: 'Order 7 🎉 is the largest.' }],
        stopReason: 'end',
        rawStopReason: 'end_turn',
        usage: {
          inputTokens: 1207,
          outputTokens: 50,
          cachedInputTokens: 1000,
          cacheWriteInputTokens: 200,
          cacheWritesByTtl: { '1h': 150, '5m': 50 },
          answersByServiceTier: { flex: 1 },
        },
      },
    ]);
    expect(server.requests[0]?.path).toBe(`/model/${encodeURIComponent(model)}/converse-stream`);
  });

  it('puts tool calls together whose input is split at awkward places', async () => {
    await using server = await startBedrockServer([
      answered(
        [
          toolStart(0, 'a'),
          ...['', '{"co', 'de": "print(\\', '"h\\u00', 'e9\\")"', '}'].map((input) =>
            delta(0, { toolUse: { input } }),
          ),
          toolStart(1, 'b'),
        ],
        'tool_use',
      ),
    ]);
    const parts = await ask(modelAt(server));
    expect(parts[0]).toEqual({ type: 'tool-use-started', id: 'a', name: 'execute_code' });
    expect(endOf(parts)).toMatchObject({
      stopReason: 'tool-use',
      content: [
        { type: 'tool-use', id: 'a', name: 'execute_code', input: { code: 'print("hé")' } },
        { type: 'tool-use', id: 'b', name: 'execute_code', input: {} },
      ],
    });
  });

  it('keeps a tool call with invalid JSON without its input, and can send it back', async () => {
    await using server = await startBedrockServer([
      answered([toolStart(0, 'a'), delta(0, { toolUse: { input: '{"code": ' } })], 'tool_use'),
      answered([]),
    ]);
    const { content } = endOf(await ask(modelAt(server)));
    expect(content).toEqual([
      { type: 'tool-use', id: 'a', name: 'execute_code', input: undefined },
    ]);
    await ask(modelAt(server), { messages: [question, { role: 'assistant', content }] });
    expect(server.requests[1]?.body).toMatchObject({
      messages: [{}, { content: [{ toolUse: { toolUseId: 'a', input: {} } }] }],
    });
  });

  it('sends thinking back just as it came', async () => {
    const secret = Buffer.from([0, 255, 128, 10, 13]).toString('base64');
    await using server = await startBedrockServer([
      answered([
        delta(0, { reasoningContent: { text: 'I need ' } }),
        delta(0, { reasoningContent: { text: 'the orders.' } }),
        delta(0, { reasoningContent: { signature: 'EqQBCgIYAh==' } }),
        delta(1, { reasoningContent: { redactedContent: secret } }),
        delta(2, { text: 'Order 7.' }),
      ]),
      answered([]),
    ]);
    const parts = await ask(modelAt(server));
    expect(parts[0]).toEqual({ type: 'thinking-delta', text: 'I need ' });
    const { content } = endOf(parts);
    expect(content).toEqual([
      { type: 'thinking', thinking: 'I need the orders.', signature: 'EqQBCgIYAh==' },
      { type: 'thinking', thinking: '', signature: '', redactedData: secret },
      { type: 'text', text: 'Order 7.' },
    ]);
    await ask(modelAt(server), { messages: [question, { role: 'assistant', content }] });
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            {
              reasoningContent: {
                reasoningText: { text: 'I need the orders.', signature: 'EqQBCgIYAh==' },
              },
            },
            { reasoningContent: { redactedContent: secret } },
            { text: 'Order 7.' },
          ],
        },
      ],
    });
  });

  it.each([
    ['end_turn', 'end'],
    ['stop_sequence', 'end'],
    ['max_tokens', 'max-tokens'],
    ['model_context_window_exceeded', 'context-window-exceeded'],
    ['guardrail_intervened', 'refusal'],
    ['content_filtered', 'refusal'],
    ['something_new', 'unknown'],
  ])('that stopped for %s is reported as %s', async (rawStopReason, stopReason) => {
    await using server = await startBedrockServer([
      answered([delta(0, { text: 'So.' })], rawStopReason),
    ]);
    expect(endOf(await ask(modelAt(server)))).toMatchObject({ stopReason, rawStopReason });
  });

  it.each([
    ['end_turn', [toolStart(0, 'a')], 'tool-use'],
    ['tool_use', [delta(0, { text: 'So.' })], 'end'],
  ])('that says %s by mistake is reported by what it has', async (raw, events, stopReason) => {
    await using server = await startBedrockServer([answered(events, raw)]);
    expect(endOf(await ask(modelAt(server)))).toMatchObject({ stopReason, rawStopReason: raw });
  });

  it('with a part that cannot be used says which', async () => {
    const image = {
      event: 'contentBlockStart',
      fields: { contentBlockIndex: 0, start: { image: { format: 'png' } } },
    };
    await using server = await startBedrockServer([answered([image])]);
    expect((await failureOf(modelAt(server))).error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      message: expect.stringContaining('(image)'),
    });
  });
});

describe('an answer from a model that does not stream', () => {
  const usage = { inputTokens: 7, outputTokens: 50, totalTokens: 57 };

  it('comes at once and reads like one that was streamed', async () => {
    const secret = Buffer.from([0, 255]).toString('base64');
    const content = [
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 's' } } },
      { reasoningContent: { redactedContent: secret } },
      { text: 'I look it up.' },
      { toolUse: { toolUseId: 'a', name: 'execute_code', input: { code: 'print(1)' } } },
    ];
    await using server = await startBedrockServer([
      {
        answer: {
          output: { message: { role: 'assistant', content } },
          stopReason: 'tool_use',
          usage,
          serviceTier: { type: 'priority' },
        },
      },
    ]);
    expect(await ask(modelAt(server, false))).toEqual([
      { type: 'thinking-delta', text: 'Hm.' },
      { type: 'text-delta', text: 'I look it up.' },
      { type: 'tool-use-started', id: 'a', name: 'execute_code' },
      { type: 'tool-input-delta', id: 'a', json: '{"code":"print(1)"}' },
      {
        type: 'answer-ended',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'thinking', thinking: '', signature: '', redactedData: secret },
          { type: 'text', text: 'I look it up.' },
          { type: 'tool-use', id: 'a', name: 'execute_code', input: { code: 'print(1)' } },
        ],
        stopReason: 'tool-use',
        rawStopReason: 'tool_use',
        usage: {
          inputTokens: 7,
          outputTokens: 50,
          cachedInputTokens: 0,
          answersByServiceTier: { priority: 1 },
        },
      },
    ]);
    expect(server.requests[0]?.path).toBe(`/model/${encodeURIComponent(model)}/converse`);
  });

  it('that the service refuses is an error of the same kind', async () => {
    await using server = await startBedrockServer([
      { status: 429, exception: 'ThrottlingException', message: 'Slow down.' },
    ]);
    expect((await failureOf(modelAt(server, false))).error.code).toBe('MODEL_OVERLOADED');
  });
});
