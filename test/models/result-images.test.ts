import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { aiSdkModel } from '../../src/ai-sdk/index.ts';
import { anthropicModel } from '../../src/models/anthropic/model.ts';
import { bedrockModel } from '../../src/models/bedrock/model.ts';
import { openaiModel } from '../../src/models/openai/model.ts';
import type { ModelMessage, ToolResultBlock } from '../../src/models/language-model.ts';
import { startAnthropicServer, wholeAnswer } from '../support/anthropic-server.ts';
import { startBedrockServer } from '../support/bedrock-server.ts';
import { PIXEL } from '../support/images.ts';
import { png } from '../support/media.ts';
import { ask, failureOf, question } from '../support/model-requests.ts';
import { answer, startOpenAIServer } from '../support/openai-server.ts';

const image = { type: 'image', mediaType: 'image/png', data: PIXEL } as const;

/** A conversation whose last message has the result of a program that showed images. */
function conversation(result: Partial<ToolResultBlock> = {}): readonly ModelMessage[] {
  return [
    question,
    {
      role: 'assistant',
      content: [{ type: 'tool-use', id: 'call', name: 'execute_code', input: {} }],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool-result',
          toolUseId: 'call',
          text: 'Done.',
          isError: false,
          images: [image, image],
          ...result,
        },
        { type: 'text', text: 'Go on.' },
      ],
    },
  ];
}

const NOTE = '[These 2 images belong to the result of the tool call call.]';

async function sentToOpenAI(
  messages: readonly ModelMessage[],
  options: { readonly acceptsImages?: boolean } = {},
): Promise<readonly unknown[]> {
  await using server = await startOpenAIServer([answer([])]);
  const { baseUrl } = server;
  await ask(openaiModel({ model: 'gpt', apiKey: 'k', baseUrl, ...options }), { messages });
  const body = server.requests[0]?.body as { messages?: readonly unknown[] } | undefined;
  return body?.messages ?? [];
}

describe('the images of a tool result', () => {
  it('are not mentioned if the list of them is empty', async () => {
    const messages = conversation({ isError: true, images: [] });
    await using server = await startAnthropicServer([{ events: wholeAnswer({}), ending: 'end' }]);
    await ask(anthropicModel({ model: 'claude', apiKey: 'k', baseUrl: server.baseUrl }), {
      messages,
    });
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain('0 images');
    const sent = await sentToOpenAI(messages, { acceptsImages: false });
    expect(JSON.stringify(sent)).not.toContain('0 images');
  });

  it('are part of the result for Anthropic', async () => {
    await using server = await startAnthropicServer([{ events: wholeAnswer({}), ending: 'end' }]);
    const model = anthropicModel({ model: 'claude', apiKey: 'k', baseUrl: server.baseUrl });
    await ask(model, { messages: conversation({ text: ' ' }) });
    const source = { type: 'base64', media_type: 'image/png', data: PIXEL };
    const shown = { type: 'image', source };
    expect(server.requests[0]?.body).toMatchObject({
      messages: [{}, {}, { content: [{ type: 'tool_result', content: [shown, shown] }, {}] }],
    });
  });

  it('are part of the result for Bedrock', async () => {
    await using server = await startBedrockServer([
      { events: [{ event: 'messageStop', fields: { stopReason: 'end_turn' } }], ending: 'end' },
    ]);
    await ask(bedrockModel({ model: 'claude', client: server.client }), {
      messages: conversation(),
    });
    const shown = { image: { format: 'png', source: { bytes: PIXEL } } };
    expect(server.requests[0]?.body).toMatchObject({
      messages: [
        {},
        {},
        { content: [{ toolResult: { content: [{ text: 'Done.' }, shown, shown] } }, {}] },
      ],
    });
  });

  it('follow a result that is an error, in which Claude refuses them', async () => {
    const messages = conversation({ isError: true });
    await using server = await startAnthropicServer([{ events: wholeAnswer({}), ending: 'end' }]);
    await ask(anthropicModel({ model: 'claude', apiKey: 'k', baseUrl: server.baseUrl }), {
      messages,
    });
    const sent = server.requests[0]!.body as { messages: { content: unknown }[] };
    const source = { type: 'base64', media_type: 'image/png', data: PIXEL };
    expect(sent.messages[2]?.content).toMatchObject([
      { type: 'tool_result', content: 'Done.', is_error: true },
      { text: 'Go on.' },
      { text: NOTE },
      { type: 'image', source },
      { type: 'image', source },
    ]);

    await using bedrock = await startBedrockServer([
      { events: [{ event: 'messageStop', fields: { stopReason: 'end_turn' } }], ending: 'end' },
    ]);
    await ask(bedrockModel({ model: 'claude', client: bedrock.client }), { messages });
    const shown = { image: { format: 'png', source: { bytes: PIXEL } } };
    expect(bedrock.requests[0]?.body).toMatchObject({
      messages: [
        {},
        {},
        {
          content: [
            { toolResult: { content: [{ text: 'Done.' }], status: 'error' } },
            { text: 'Go on.' },
            { text: NOTE },
            shown,
            shown,
          ],
        },
      ],
    });
  });

  it('follow the results as a message of the user for services of OpenAI', async () => {
    const url = `data:image/png;base64,${PIXEL}`;
    const shown = { type: 'image_url', image_url: { url } };
    expect((await sentToOpenAI(conversation())).slice(-2)).toEqual([
      { role: 'tool', tool_call_id: 'call', content: 'Done.' },
      {
        role: 'user',
        content: [{ type: 'text', text: NOTE }, shown, shown, { type: 'text', text: 'Go on.' }],
      },
    ]);
  });

  it('follow the results as files of the user for models of the AI SDK', async () => {
    const chunks = [{ type: 'finish', finishReason: { unified: 'stop', raw: 'x' }, usage: {} }];
    const stream = (): never => simulateReadableStream({ chunks }) as never;
    const mock = new MockLanguageModelV3({ doStream: async () => ({ stream: stream() }) });
    await ask(aiSdkModel(mock), { messages: conversation() }).catch(() => {});
    const shown = { type: 'file', mediaType: 'image/png', data: PIXEL };
    expect(mock.doStreamCalls[0]?.prompt.slice(-2)).toMatchObject([
      { role: 'tool', content: [{ output: { type: 'text', value: 'Done.' } }] },
      { role: 'user', content: [{ text: NOTE }, shown, shown, { text: 'Go on.' }] },
    ]);
  });

  it('are left out for a model that accepts none, and it is told how many', async () => {
    const sent = await sentToOpenAI(conversation(), { acceptsImages: false });
    expect(sent.slice(-2)).toEqual([
      {
        role: 'tool',
        tool_call_id: 'call',
        content: 'Done.\n[2 images are not shown, because this model accepts no images.]',
      },
      { role: 'user', content: 'Go on.' },
    ]);
  });

  it('are left out for such a model on Bedrock too', async () => {
    await using server = await startBedrockServer([
      { events: [{ event: 'messageStop', fields: { stopReason: 'end_turn' } }], ending: 'end' },
    ]);
    const model = bedrockModel({ model: 'claude', client: server.client, acceptsImages: false });
    await ask(model, { messages: conversation({ images: [image], text: '' }) });
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain(PIXEL);
    expect(JSON.stringify(server.requests[0]?.body)).toContain('[1 image is not shown');
  });
});

it('an image of the user is refused for a model that accepts none, before anything is sent', async () => {
  await using server = await startOpenAIServer([answer([])]);
  const { baseUrl } = server;
  const model = openaiModel({ model: 'gpt', apiKey: 'k', baseUrl, acceptsImages: false });
  const messages: ModelMessage[] = [{ role: 'user', content: [png] }];
  const { error } = await failureOf(model, { messages });
  expect(error).toMatchObject({
    code: 'MODEL_INPUT_UNSUPPORTED',
    message: expect.stringContaining('acceptsImages is false'),
  });
  expect(server.requests).toEqual([]);
});
