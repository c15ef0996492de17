import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { anthropicModel } from '../../src/models/anthropic/model.ts';
import { bedrockModel } from '../../src/models/bedrock/model.ts';
import type { InputBlock, LanguageModel, UserBlock } from '../../src/models/language-model.ts';
import { openaiModel } from '../../src/models/openai/model.ts';
import { PtcError } from '../../src/shared/errors.ts';
import { startAnthropicServer, wholeAnswer } from '../support/anthropic-server.ts';
import { startBedrockServer } from '../support/bedrock-server.ts';
import { imageData, linkedImage, linkedPdf, PDF, pdf, plainText, png } from '../support/media.ts';
import { ask, failureOf, request } from '../support/model-requests.ts';
import { answer, startOpenAIServer } from '../support/openai-server.ts';

const text: InputBlock = { type: 'text', text: 'What is this?' };

/** The messages that each service gets for one message of these blocks. */
const sentTo = {
  anthropic: async (content: readonly UserBlock[]): Promise<unknown> => {
    await using server = await startAnthropicServer([{ events: wholeAnswer({}), ending: 'end' }]);
    const model = anthropicModel({ model: 'm', apiKey: 'k', baseUrl: server.baseUrl });
    await ask(model, { messages: [{ role: 'user', content }] });
    return messagesOf(server.requests[0]?.body);
  },
  bedrock: async (...contents: readonly (readonly UserBlock[])[]): Promise<unknown> => {
    await using server = await startBedrockServer([
      { events: [{ event: 'messageStop', fields: { stopReason: 'end_turn' } }], ending: 'end' },
    ]);
    await ask(bedrockModel({ model: 'm', client: server.client }), {
      messages: contents.flatMap((content) => [
        { role: 'user', content },
        { role: 'assistant', content: [{ type: 'text', text: 'Well.' }] },
      ]),
    });
    return messagesOf(server.requests[0]?.body);
  },
  openai: async (content: readonly UserBlock[]): Promise<unknown> => {
    await using server = await startOpenAIServer([answer([])]);
    const model = openaiModel({ model: 'm', apiKey: 'k', baseUrl: server.baseUrl });
    await ask(model, { system: '', messages: [{ role: 'user', content }] });
    return messagesOf(server.requests[0]?.body);
  },
};

function messagesOf(body: unknown): unknown {
  return (body as { readonly messages?: unknown } | undefined)?.messages;
}

describe('the Anthropic API gets', () => {
  it('images and documents as data, addresses and text, and can cache them', async () => {
    const blocks = [text, png, linkedImage, linkedPdf, plainText, pdf];
    expect(await sentTo.anthropic(blocks)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          {
            type: 'image',
            source: { type: 'base64', media_type: 'image/png', data: imageData('image/png') },
          },
          { type: 'image', source: { type: 'url', url: 'https://example.org/cat.png' } },
          { type: 'document', source: { type: 'url', url: 'https://example.org/report.pdf' } },
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'Rent: 800 €' },
            title: 'Costs',
          },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: PDF },
            title: 'Report of May.pdf',
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
    ]);
  });
});

describe('Amazon Bedrock gets', () => {
  it.each(['png', 'jpeg', 'gif', 'webp'] as const)('an image of type %s', async (format) => {
    const mediaType = `image/${format}` as const;
    const image = { type: 'image', mediaType, data: imageData(mediaType) } as const;
    expect(await sentTo.bedrock([image])).toMatchObject([
      { content: [{ image: { format, source: { bytes: image.data } } }] },
      {},
    ]);
  });

  it('documents under names that it takes, each once in the conversation', async () => {
    const unnamed = { type: 'document', mediaType: 'application/pdf', data: PDF } as const;
    const first = [text, pdf, { ...plainText, title: 'report  of_May/pdf' }, unnamed];
    const second = [text, { ...unnamed, title: 'Übersicht' }, { ...unnamed, title: '€€' }];
    const bytes = Buffer.from('Rent: 800 €').toString('base64');
    expect(await sentTo.bedrock(first, second)).toMatchObject([
      {
        content: [
          { text: 'What is this?' },
          { document: { format: 'pdf', name: 'Report of May pdf', source: { bytes: PDF } } },
          { document: { format: 'txt', name: 'report of May pdf 2', source: { bytes } } },
          { document: { format: 'pdf', name: 'document' } },
        ],
      },
      {},
      {
        content: [
          {},
          { document: { format: 'pdf', name: 'bersicht' } },
          { document: { format: 'pdf', name: 'document 2' } },
        ],
      },
      {},
    ]);
  });

  it('a text beside documents, without which it refuses them', async () => {
    expect(await sentTo.bedrock([plainText], [png], [plainText, text])).toMatchObject([
      { content: [{ document: {} }, { text: '(See the document.)' }] },
      {},
      { content: [{ image: {} }] },
      {},
      { content: [{ document: {} }, { text: 'What is this?' }] },
      {},
    ]);
  });
});

describe('the Chat Completions API gets', () => {
  it('images by data and by address, and PDFs as files', async () => {
    const { title: _, ...untitled } = pdf;
    expect(await sentTo.openai([text, png, linkedImage, pdf, untitled, plainText])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          {
            type: 'image_url',
            image_url: { url: `data:image/png;base64,${imageData('image/png')}` },
          },
          { type: 'image_url', image_url: { url: 'https://example.org/cat.png' } },
          {
            type: 'file',
            file: {
              filename: 'Report of May.pdf',
              file_data: `data:application/pdf;base64,${PDF}`,
            },
          },
          {
            type: 'file',
            file: { filename: 'document.pdf', file_data: `data:application/pdf;base64,${PDF}` },
          },
          { type: 'text', text: 'Costs\n\nRent: 800 €' },
        ],
      },
    ]);
  });

  it('a document of plain text as text, in one text with what is said', async () => {
    expect(await sentTo.openai([plainText, text])).toEqual([
      { role: 'user', content: 'Costs\n\nRent: 800 €\nWhat is this?' },
    ]);
  });

  it('the results of calls before the blocks that came with them', async () => {
    const result = { type: 'tool-result', toolUseId: 'a', text: '7', isError: false } as const;
    expect(await sentTo.openai([png, result])).toMatchObject([
      { role: 'tool', tool_call_id: 'a', content: '7' },
      { role: 'user', content: [{ type: 'image_url' }] },
    ]);
  });
});

describe('a block that a service cannot take', () => {
  const openai = (baseUrl: string): LanguageModel =>
    openaiModel({ model: 'm', apiKey: 'k', baseUrl });

  it('is an error with its place and what to do, and nothing is sent', async () => {
    await using bedrock = await startBedrockServer([]);
    await using chat = await startOpenAIServer([]);
    const onBedrock = bedrockModel({ model: 'm', client: bedrock.client });
    const cases = [
      [onBedrock, linkedImage, 'image', 'Amazon Bedrock does not accept URLs.'],
      [onBedrock, linkedPdf, 'document (application/pdf)', 'Amazon Bedrock does not accept URLs.'],
      [
        openai(chat.baseUrl),
        linkedPdf,
        'document (application/pdf)',
        'does not accept URLs of doc',
      ],
    ] as const;
    for (const [model, block, kind, why] of cases) {
      const messages = [{ role: 'user', content: [text, block] }] as const;
      const expected = {
        code: 'MODEL_INPUT_UNSUPPORTED',
        message: expect.stringContaining(
          `The model's service does not accept messages[0].content[1], the ${kind} given as a URL. `,
        ),
        details: { message: 0, block: 1, type: block.type, mediaType: block.mediaType },
      };
      const { error } = await failureOf(model, { messages });
      expect(error).toMatchObject(expected);
      expect(error.message).toContain(why);
      expect(() => model.check?.(request({ messages }))).toThrow(PtcError);
    }
    expect([...bedrock.requests, ...chat.requests]).toEqual([]);
  });
});
