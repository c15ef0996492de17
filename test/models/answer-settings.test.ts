import { describe, expect, it } from 'vitest';
import { anthropicModel } from '../../src/models/anthropic/model.ts';
import { bedrockModel } from '../../src/models/bedrock/model.ts';
import type { ModelRequest, ToolChoice } from '../../src/models/language-model.ts';
import { openaiModel } from '../../src/models/openai/model.ts';
import type { JsonObject } from '../../src/shared/json/json.ts';
import { startAnthropicServer, wholeAnswer } from '../support/anthropic-server.ts';
import { startBedrockServer } from '../support/bedrock-server.ts';
import { ask, failureOf, request } from '../support/model-requests.ts';
import { answer, startOpenAIServer } from '../support/openai-server.ts';

const settings = { temperature: 0.5, topP: 0.9, stopSequences: ['END', 'STOP'] };

async function sentToAnthropic(
  changes: Partial<ModelRequest>,
  extra: JsonObject = {},
): Promise<unknown> {
  await using server = await startAnthropicServer([{ events: wholeAnswer({}), ending: 'end' }]);
  const model = anthropicModel({ model: 'm', apiKey: 'k', baseUrl: server.baseUrl, extra });
  await ask(model, changes);
  return server.requests[0]?.body;
}

async function sentToBedrock(
  changes: Partial<ModelRequest>,
  extra: JsonObject = {},
): Promise<unknown> {
  await using server = await startBedrockServer([
    { events: [{ event: 'messageStop', fields: { stopReason: 'end_turn' } }], ending: 'end' },
  ]);
  await ask(bedrockModel({ model: 'm', client: server.client, extra }), changes);
  return server.requests[0]?.body;
}

async function sentToOpenAI(
  changes: Partial<ModelRequest>,
  extra: JsonObject = {},
): Promise<unknown> {
  await using server = await startOpenAIServer([answer([])]);
  await ask(openaiModel({ model: 'm', apiKey: 'k', baseUrl: server.baseUrl, extra }), changes);
  return server.requests[0]?.body;
}

const tool: ToolChoice = { tool: 'execute_code' };

describe('the settings of an answer', () => {
  it('are in the words of each service', async () => {
    expect(await sentToAnthropic(settings)).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ['END', 'STOP'],
    });
    expect(await sentToBedrock(settings)).toMatchObject({
      inferenceConfig: { maxTokens: 1024, ...settings },
    });
    expect(await sentToOpenAI(settings)).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      stop: ['END', 'STOP'],
    });
  });

  it('take precedence over those that the model has for all requests, which else hold', async () => {
    const extra = { temperature: 1, tool_choice: { type: 'auto' } };
    const changes = { temperature: 0, toolChoice: 'any' } as const;
    expect(await sentToAnthropic(changes, extra)).toMatchObject({
      temperature: 0,
      tool_choice: { type: 'any' },
    });
    expect(await sentToAnthropic({}, extra)).toMatchObject(extra);
    expect(await sentToOpenAI(changes, extra)).toMatchObject({
      temperature: 0,
      tool_choice: 'required',
    });
    const inferenceConfig = { temperature: 1, topP: 0.3 };
    expect(await sentToBedrock({ temperature: 0 }, { inferenceConfig })).toMatchObject({
      inferenceConfig: { temperature: 0, topP: 0.3 },
    });
  });

  it.each<[ToolChoice, unknown, unknown, unknown]>([
    ['auto', { type: 'auto' }, 'auto', { auto: {} }],
    ['any', { type: 'any' }, 'required', { any: {} }],
    ['none', { type: 'none' }, 'none', undefined],
    [
      tool,
      { type: 'tool', name: 'execute_code' },
      { type: 'function', function: { name: 'execute_code' } },
      { tool: { name: 'execute_code' } },
    ],
  ])('have the choice of a tool %j', async (toolChoice, anthropic, openai, bedrock) => {
    expect(await sentToAnthropic({ toolChoice })).toMatchObject({ tool_choice: anthropic });
    expect(await sentToOpenAI({ toolChoice })).toMatchObject({ tool_choice: openai });
    if (bedrock === undefined) return;
    expect(await sentToBedrock({ toolChoice })).toMatchObject({
      toolConfig: { toolChoice: bedrock },
    });
  });

  it('have no choice of a tool where there are none, since services refuse that', async () => {
    const changes = { tools: [], toolChoice: 'none' } as const;
    for (const body of [await sentToAnthropic(changes), await sentToOpenAI(changes)]) {
      expect(body).not.toHaveProperty('tool_choice');
    }
    expect(await sentToBedrock(changes)).not.toHaveProperty('toolConfig');
  });

  it('cannot be no tool on Bedrock, and nothing is sent', async () => {
    await using server = await startBedrockServer([]);
    const model = bedrockModel({ model: 'm', client: server.client });
    const { error } = await failureOf(model, { toolChoice: 'none' });
    const expected = {
      code: 'OPTION_INVALID',
      message: expect.stringMatching(/^toolChoice cannot be 'none' on Amazon Bedrock/),
      details: { option: 'toolChoice', value: 'none' },
    };
    expect(error).toMatchObject(expected);
    expect(() => model.check?.(request({ toolChoice: 'none' }))).toThrow(
      expect.objectContaining(expected),
    );
    expect(server.requests).toEqual([]);
  });
});
