import { describe, expect, it } from 'vitest';
import { anthropicModel } from '../../src/models/anthropic/model.ts';
import { bedrockModel } from '../../src/models/bedrock/model.ts';
import type { LanguageModel } from '../../src/models/language-model.ts';
import { openaiModel } from '../../src/models/openai/model.ts';
import { startAnthropicServer, wholeAnswer } from '../support/anthropic-server.ts';
import { startBedrockServer } from '../support/bedrock-server.ts';
import { ask, endOf } from '../support/model-requests.ts';
import { answer, callDelta, startOpenAIServer } from '../support/openai-server.ts';

const call = { id: 'a', name: 'send' };

async function inputFrom(model: LanguageModel): Promise<unknown> {
  const { content } = endOf(await ask(model));
  expect(content).toMatchObject([{ type: 'tool-use', ...call }]);
  const [block] = content;
  return block?.type === 'tool-use' ? block.input : block;
}

/** The input of a tool call whose start event has these fields, and whose arguments do not follow. */
async function atAnthropic(fields: object): Promise<unknown> {
  const start = {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', ...call, ...fields },
  };
  const events = wholeAnswer({ stopReason: 'tool_use' });
  await using server = await startAnthropicServer([
    { events: [events[0]!, start, ...events.slice(1)], ending: 'end' },
  ]);
  return await inputFrom(anthropicModel({ model: 'm', apiKey: 'k', baseUrl: server.baseUrl }));
}

/** The input of a tool call with these fields, in an answer that is not streamed. */
async function atBedrock(fields: object): Promise<unknown> {
  const content = [{ toolUse: { toolUseId: call.id, name: call.name, ...fields } }];
  const output = { message: { role: 'assistant', content } };
  await using server = await startBedrockServer([{ answer: { output, stopReason: 'tool_use' } }]);
  return await inputFrom(bedrockModel({ model: 'm', client: server.client, streaming: false }));
}

/** The input of a tool call with these fields, whose arguments are streamed as text. */
async function atOpenAI({ input }: { readonly input?: unknown }): Promise<unknown> {
  const text = input === undefined ? '' : JSON.stringify(input);
  await using server = await startOpenAIServer([answer([callDelta(0, text, call)], 'tool_calls')]);
  return await inputFrom(openaiModel({ model: 'm', apiKey: 'k', baseUrl: server.baseUrl }));
}

describe.each([
  ['Anthropic, in its start event', atAnthropic],
  ['Bedrock, in an answer that is not streamed', atBedrock],
  ['OpenAI, as text', atOpenAI],
])('the arguments of a tool call from %s', (_, inputOf) => {
  it('have no half of a surrogate pair, also in their keys', async () => {
    const input = { 'a\ud83d': ['b\udc4d', { '\ud83d': 1, 'c🎉': '🎉' }], '__proto__\ud83d': 2 };
    expect(await inputOf({ input })).toEqual({
      'a\ufffd': ['b\ufffd', { '\ufffd': 1, 'c🎉': '🎉' }],
      '__proto__\ufffd': 2,
    });
  });

  it('may be left out', async () => {
    expect(await inputOf({})).toEqual({});
  });

  it.each(['code', ['code'], 7])('cannot be used if they are %j', async (input) => {
    expect(await inputOf({ input })).toBeUndefined();
  });
});
