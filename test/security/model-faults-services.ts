import { anthropicModel } from '../../src/models/anthropic/model.ts';
import { bedrockModel } from '../../src/models/bedrock/model.ts';
import { formatEvent, type WireEvent } from '../support/messages-events.ts';
import { openaiModel } from '../../src/models/openai/model.ts';
import { startAnthropicServer, wholeAnswer, type Reply } from '../support/anthropic-server.ts';
import { encodeEvent, startBedrockServer } from '../support/bedrock-server.ts';
import type { ConverseEvent, ConverseReply } from '../support/bedrock-server.ts';
import { callDelta, chunk, startOpenAIServer, usageChunk } from '../support/openai-server.ts';
import type { ChatReply } from '../support/openai-server.ts';
import {
  contentOf,
  isCommon,
  joined,
  lengthOf,
  listOf,
  nothing,
  pieces,
  textsOf,
  translated,
  wholeBlocks,
  type Answer,
  type Sent,
  type Service,
} from './model-service.ts';

const anthropic: Service = {
  name: 'Anthropic',
  overloads: [429, 529],
  async start(replies) {
    const server = await startAnthropicServer(
      translated(replies, (reply): Reply => {
        if ('stop' in reply) {
          const { ending = 'end', bytes } = reply;
          return { events: anthropicEvents(reply), ending, ...(bytes && { bytes }) };
        }
        const type = reply.status === 429 ? 'rate_limit_error' : 'api_error';
        const headers = { 'retry-after': reply.retryAfter };
        return { status: reply.status, error: { type, message: 'Not now.' }, headers };
      }),
    );
    const { baseUrl, requests } = server;
    const model = anthropicModel({ model: 'claude-test', apiKey: 'k', baseUrl });
    return { model, baseUrl, requests, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
  bytesBeforeEnd: (answer) => lengthOf(anthropicEvents(answer).slice(0, -1).map(formatEvent)),
  sent: (body) =>
    listOf(body, 'messages').map((message) => {
      const blocks = contentOf(message).map((block): Sent => {
        const { type, text, id, tool_use_id, content } = block;
        if (type === 'image') return nothing;
        if (type === 'thinking') return { ...nothing, texts: [String(block['thinking'])] };
        if (type === 'server_tool_use') return { ...nothing, serverTools: [String(id)] };
        if (type === 'web_search_tool_result') {
          return { ...nothing, serverResults: [String(tool_use_id)] };
        }
        if (type === 'tool_use') return { ...nothing, calls: [String(id)] };
        if (type === 'text') return { ...nothing, texts: [String(text)] };
        return { ...nothing, results: [{ id: String(tool_use_id), text: String(content) }] };
      });
      return joined(message['role'], blocks);
    }),
  system: (body) => listOf(body, 'system')[0]?.['text'],
};

function anthropicEvents({ parts, stop }: Answer): WireEvent[] {
  const stopReason = {
    end: 'end_turn',
    tool: 'tool_use',
    length: 'max_tokens',
    refusal: 'refusal',
    pause: 'pause_turn',
  }[stop];
  const around = wholeAnswer({ content: [], stopReason });
  const blocks = parts.flatMap(wholeBlocks).flatMap((part, index): WireEvent[] => {
    if ('type' in part) {
      return [
        { type: 'content_block_start', index, content_block: part },
        { type: 'content_block_stop', index },
      ];
    }
    const start =
      'text' in part
        ? { type: 'text', text: '' }
        : { type: 'tool_use', id: part.id, name: part.name, input: {} };
    const deltas = pieces('text' in part ? part.text : part.json).map((text) =>
      'text' in part
        ? { type: 'text_delta', text }
        : { type: 'input_json_delta', partial_json: text },
    );
    return [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ];
  });
  return [...around.slice(0, -2), ...blocks, ...around.slice(-2)];
}

const openai: Service = {
  name: 'OpenAI',
  overloads: [429, 503],
  async start(replies) {
    const server = await startOpenAIServer(
      translated(replies, (reply): ChatReply => {
        if ('stop' in reply) {
          const { ending = 'done', bytes } = reply;
          return { chunks: openaiChunks(reply), ending, ...(bytes && { bytes }) };
        }
        const headers = { 'retry-after': reply.retryAfter };
        return { status: reply.status, body: { error: { message: 'Not now.' } }, headers };
      }),
    );
    const { baseUrl, requests } = server;
    const model = openaiModel({ model: 'gpt-test', apiKey: 'k', baseUrl });
    return { model, baseUrl, requests, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
  // The last chunk has the token counts, and the one before it the reason to stop.
  bytesBeforeEnd: (answer) =>
    lengthOf(
      openaiChunks(answer)
        .slice(0, -2)
        .map((one) => `data: ${JSON.stringify(one)}\n\n`),
    ),
  sent: (body) =>
    listOf(body, 'messages')
      .filter(({ role }) => role !== 'system')
      .map(({ role, content, tool_calls, tool_call_id }) => ({
        role,
        texts: role === 'tool' ? [] : textsOf(content),
        calls: Array.isArray(tool_calls) ? tool_calls.map(({ id }: { id: string }) => id) : [],
        results: role === 'tool' ? [{ id: String(tool_call_id), text: String(content) }] : [],
      })),
  system: (body) => listOf(body, 'messages')[0]?.['content'],
};

function openaiChunks({ parts, stop }: Answer): object[] {
  const reason = {
    end: 'stop',
    tool: 'tool_calls',
    length: 'length',
    refusal: 'content_filter',
    pause: 'stop',
  };
  const deltas = parts
    .filter(isCommon)
    .flatMap((part, index) =>
      'text' in part
        ? [{ content: part.text }]
        : [callDelta(index, '', part), ...pieces(part.json).map((text) => callDelta(index, text))],
    );
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, reason[stop]),
    usageChunk({ prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }),
  ];
}

const bedrock: Service = {
  name: 'Bedrock',
  overloads: [429, 503],
  async start(replies) {
    const server = await startBedrockServer(
      translated(replies, (reply): ConverseReply => {
        if ('stop' in reply) {
          const { ending = 'end', bytes } = reply;
          return { events: bedrockEvents(reply), ending, ...(bytes && { bytes }) };
        }
        const { status, retryAfter } = reply;
        const exception = EXCEPTIONS.get(status) ?? 'InternalServerException';
        return { status, exception, message: 'Not now.', headers: { 'retry-after': retryAfter } };
      }),
      3,
    );
    const { client, requests } = server;
    const model = bedrockModel({ model: 'amazon.test-v1', client });
    return {
      model,
      baseUrl: server.origin,
      requests,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
  // The last event has the token counts, and the one before it the reason to stop.
  bytesBeforeEnd: (answer) =>
    Buffer.concat(bedrockEvents(answer).slice(0, -2).map(encodeEvent)).length,
  sent: (body) =>
    listOf(body, 'messages').map((message) => {
      const blocks = contentOf(message).map((block): Sent => {
        const { text, image, toolUse, toolResult } = block;
        if (image !== undefined) return nothing;
        if (typeof text === 'string') return { ...nothing, texts: [text] };
        if (toolUse !== undefined) {
          return { ...nothing, calls: [(toolUse as { toolUseId: string }).toolUseId] };
        }
        const { toolUseId, content } = toolResult as { toolUseId: string; content: object[] };
        const [first] = content as { text: string }[];
        return { ...nothing, results: [{ id: toolUseId, text: first?.text ?? '' }] };
      });
      return joined(message['role'], blocks);
    }),
  system: (body) => listOf(body, 'system')[0]?.['text'],
};

const EXCEPTIONS: ReadonlyMap<number, string> = new Map([
  [429, 'ThrottlingException'],
  [503, 'ServiceUnavailableException'],
]);

function bedrockEvents({ parts, stop }: Answer): ConverseEvent[] {
  const stopReason = {
    end: 'end_turn',
    tool: 'tool_use',
    length: 'max_tokens',
    refusal: 'content_filtered',
    pause: 'end_turn',
  }[stop];
  const blocks = parts.filter(isCommon).flatMap((part, contentBlockIndex): ConverseEvent[] => {
    const start = 'text' in part ? [] : [{ toolUse: { toolUseId: part.id, name: part.name } }];
    const deltas = pieces('text' in part ? part.text : part.json).map((text) =>
      'text' in part ? { text } : { toolUse: { input: text } },
    );
    return [
      ...start.map((one) => ({
        event: 'contentBlockStart',
        fields: { contentBlockIndex, start: one },
      })),
      ...deltas.map((delta) => ({
        event: 'contentBlockDelta',
        fields: { contentBlockIndex, delta },
      })),
      { event: 'contentBlockStop', fields: { contentBlockIndex } },
    ];
  });
  return [
    { event: 'messageStart', fields: { role: 'assistant' } },
    ...blocks,
    { event: 'messageStop', fields: { stopReason } },
    {
      event: 'metadata',
      fields: { usage: { inputTokens: 10, outputTokens: 20, totalTokens: 30 } },
    },
  ];
}

export const SERVICES: readonly [Service, Service, Service] = [anthropic, openai, bedrock];
