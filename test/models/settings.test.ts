import { describe, expect, it } from 'vitest';
import { anthropicModel } from '../../src/models/anthropic/model.ts';
import { bedrockModel } from '../../src/models/bedrock/model.ts';
import { openaiModel } from '../../src/models/openai/model.ts';
import { PtcError } from '../../src/shared/errors.ts';
import type { JsonObject } from '../../src/shared/json/json.ts';
import { startAnthropicServer, wholeAnswer } from '../support/anthropic-server.ts';
import { startBedrockServer } from '../support/bedrock-server.ts';
import { ask } from '../support/model-requests.ts';
import { answer, startOpenAIServer } from '../support/openai-server.ts';
import type { RecordedRequest } from '../support/replying-server.ts';

type Options<Create extends (options: never) => unknown> = Partial<Parameters<Create>[0]>;

async function sentToAnthropic(options: Options<typeof anthropicModel>): Promise<RecordedRequest> {
  await using server = await startAnthropicServer([{ events: wholeAnswer({}), ending: 'end' }]);
  await ask(anthropicModel({ model: 'm', apiKey: 'k', baseUrl: server.baseUrl, ...options }));
  return server.requests[0]!;
}

async function sentToOpenAI(options: Options<typeof openaiModel>): Promise<RecordedRequest> {
  await using server = await startOpenAIServer([answer([])]);
  await ask(openaiModel({ model: 'm', apiKey: 'k', baseUrl: server.baseUrl, ...options }));
  return server.requests[0]!;
}

async function sentToBedrock(options: Options<typeof bedrockModel>): Promise<unknown> {
  await using server = await startBedrockServer([
    { events: [{ event: 'messageStop', fields: { stopReason: 'end_turn' } }], ending: 'end' },
  ]);
  await ask(bedrockModel({ model: 'm', client: server.client, ...options }));
  return server.requests[0]?.body;
}

/** The error of a model that cannot be made, which no request is needed to see. */
function refusalOf(create: () => unknown): unknown {
  try {
    create();
  } catch (error) {
    if (PtcError.isInstance(error)) return error;
    throw error;
  }
  return 'none';
}

describe('the settings of a model behind the Anthropic API', () => {
  it.each([
    [{ type: 'adaptive', display: 'omitted' }, undefined],
    [
      { type: 'enabled', budgetTokens: 2048 },
      { type: 'enabled', budget_tokens: 2048 },
    ],
    [{ type: 'between_tools' }, undefined],
    [{ type: 'disabled' }, undefined],
  ] as const)('have the thinking %j', async (thinking, inWords) => {
    const { body } = await sentToAnthropic({ thinking });
    expect(body).toMatchObject({ thinking: inWords ?? thinking });
  });

  it('have effort and service tier', async () => {
    const { body } = await sentToAnthropic({ effort: 'xhigh', serviceTier: 'standard_only' });
    expect(body).toMatchObject({
      output_config: { effort: 'xhigh' },
      service_tier: 'standard_only',
    });
  });

  it('have fields and headers that this version does not know', async () => {
    const { body, headers } = await sentToAnthropic({
      extra: { speed: 'fast', output_config: { effort: 'low', format: null } },
      headers: { 'anthropic-beta': 'fast-mode-2026-02-01' },
    });
    expect(headers['anthropic-beta']).toBe('fast-mode-2026-02-01');
    expect(body).toMatchObject({
      model: 'm',
      max_tokens: 1024,
      speed: 'fast',
      output_config: { effort: 'low', format: null },
    });
  });

  it('cannot override what the conversation needs', () => {
    for (const field of ['model', 'messages', 'system', 'tools', 'max_tokens', 'stream']) {
      expect(refusalOf(() => anthropicModel({ model: 'm', extra: { [field]: [] } }))).toMatchObject(
        {
          code: 'OPTION_INVALID',
          details: { option: 'extra', field },
        },
      );
    }
  });

  it.each([
    ['thinking', { thinking: { type: 'adaptive' } }],
    ['output_config', { effort: 'low' }],
    ['service_tier', { serviceTier: 'auto' }],
  ] as const)('cannot have %s twice', (field, option) => {
    const extra = { [field]: {} };
    expect(refusalOf(() => anthropicModel({ model: 'm', extra }))).toBe('none');
    expect(refusalOf(() => anthropicModel({ model: 'm', extra, ...option }))).toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(
        /^extra cannot have the field .* because the option .* sets it/,
      ),
      details: { field },
    });
  });

  it('stay as they were checked', async () => {
    await using server = await startAnthropicServer([{ events: wholeAnswer({}), ending: 'end' }]);
    const extra: Record<string, JsonObject | string> = { metadata: { user_id: 'u' } };
    const { baseUrl } = server;
    const model = anthropicModel({ model: 'm', apiKey: 'k', baseUrl, extra });
    extra['model'] = 'another';
    extra['speed'] = 'fast';
    await ask(model);
    expect(server.requests[0]?.body).toMatchObject({ model: 'm', metadata: { user_id: 'u' } });
    expect(server.requests[0]?.body).not.toHaveProperty('speed');
  });

  it.each([null, [], 'speed'])('are no %j', (extra) => {
    const options = { model: 'm', extra: extra as unknown as JsonObject };
    expect(refusalOf(() => anthropicModel(options))).toMatchObject({ code: 'OPTION_INVALID' });
  });
});

describe('the settings of a model behind the Chat Completions API', () => {
  it('have effort and service tier', async () => {
    const { body } = await sentToOpenAI({ effort: 'none', serviceTier: 'flex' });
    expect(body).toMatchObject({ reasoning_effort: 'none', service_tier: 'flex' });
  });

  it('have fields and headers that this version does not know', async () => {
    const { body, headers } = await sentToOpenAI({
      extra: { prompt_cache_key: 'team-7', reasoning_effort: 'low' },
      headers: { 'x-gateway': 'blue' },
    });
    expect(headers['x-gateway']).toBe('blue');
    expect(body).toMatchObject({
      model: 'm',
      max_tokens: 1024,
      prompt_cache_key: 'team-7',
      reasoning_effort: 'low',
    });
  });

  it('cannot override what the conversation needs, nor set a field twice', () => {
    const owned = ['model', 'messages', 'tools', 'max_tokens', 'max_completion_tokens', 'stream'];
    for (const field of [...owned, 'stream_options', 'n', 'reasoning_effort', 'service_tier']) {
      const options = { model: 'm', effort: 'low', serviceTier: 'auto' } as const;
      expect(refusalOf(() => openaiModel({ ...options, extra: { [field]: 2 } }))).toMatchObject({
        code: 'OPTION_INVALID',
        details: { option: 'extra', field },
      });
    }
  });
});

describe('the settings of a model on Bedrock', () => {
  it('have the service tier, and fields of the Converse API', async () => {
    const extra = {
      inferenceConfig: { temperature: 0, stopSequences: ['END'] },
      outputConfig: { effort: 'high' },
      requestMetadata: { team: 'seven' },
    };
    expect(await sentToBedrock({ serviceTier: 'flex', extra })).toMatchObject({
      ...extra,
      inferenceConfig: { maxTokens: 1024, temperature: 0, stopSequences: ['END'] },
      serviceTier: { type: 'flex' },
    });
  });

  it('cannot override what the conversation needs, nor set a field twice', () => {
    const owned = ['modelId', 'messages', 'system', 'toolConfig'];
    for (const field of [...owned, 'serviceTier', 'additionalModelRequestFields']) {
      const options = {
        model: 'm',
        serviceTier: 'flex',
        additionalModelRequestFields: {},
      } as const;
      expect(refusalOf(() => bedrockModel({ ...options, extra: { [field]: {} } }))).toMatchObject({
        code: 'OPTION_INVALID',
        details: { option: 'extra', field },
      });
    }
    for (const inferenceConfig of [{ maxTokens: 5 }, 'slow']) {
      const extra = { inferenceConfig };
      expect(refusalOf(() => bedrockModel({ model: 'm', extra }))).toMatchObject({
        code: 'OPTION_INVALID',
        details: { option: 'extra.inferenceConfig' },
      });
    }
  });
});
