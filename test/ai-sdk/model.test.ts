import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import * as mocks from 'ai/test';
import { describe, expect, it } from 'vitest';
import { aiSdkModel, type AiSdkModel } from '../../src/ai-sdk/index.ts';
import { ask, endOf, failureInMidStream, failureOf, question } from '../support/model-requests.ts';
import { linkedImage, pdf, plainText, png } from '../support/media.ts';
import { thrownBy } from './support.ts';

type Mock = typeof MockLanguageModelV3;

/** `MockLanguageModelV3`, and in version 7 of the AI SDK, `MockLanguageModelV4`. */
const MOCKS = Object.entries(mocks)
  .filter(([name]) => /^MockLanguageModelV[34]$/.test(name))
  .map(([name, mock]) => [name, mock as Mock] as const);

const usage = {
  inputTokens: { total: 9, noCache: 2, cacheRead: 4, cacheWrite: 3 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};
const finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'end_turn' }, usage };

/** A model whose answer has these parts. */
function mockOf(Model: Mock, ...chunks: readonly object[]): InstanceType<Mock> {
  const stream = (): never =>
    simulateReadableStream({
      chunks: [...chunks],
      initialDelayInMs: null,
      // Otherwise each chunk takes a millisecond.
      chunkDelayInMs: null,
    }) as never;
  return new Model({
    provider: 'test',
    modelId: 'one',
    supportedUrls: { 'image/*': [/^https:\/\/example\.org\//] },
    doStream: async () => ({ stream: stream() }),
  });
}

function error500(responseHeaders: Readonly<Record<string, string>>): Error {
  return Object.assign(new Error('Broken.'), { statusCode: 500, responseHeaders });
}

function cycle(): object {
  const made: { self?: object } = {};
  made.self = made;
  return made;
}

describe.each(MOCKS)('a model of the AI SDK, %s', (name, Model) => {
  it('has the id of its provider and its own', () => {
    expect(aiSdkModel(mockOf(Model)).id).toBe('test/one');
  });

  it('gets the tools with their examples, and whether the provider must follow their schemas', async () => {
    const model = mockOf(Model, finish);
    const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
    const tools = [{ ...look, name: 'find', strict: true, inputExamples: [{ id: 7 }] }, look];
    await ask(aiSdkModel(model), { tools });
    const sent = model.doStreamCalls[0]?.tools;
    expect(sent).toMatchObject([
      { type: 'function', name: 'find', strict: true, inputExamples: [{ input: { id: 7 } }] },
      { type: 'function', name: 'look', inputSchema: { type: 'object' } },
    ]);
    expect(sent?.[1]).not.toHaveProperty('strict');
  });

  it('gives back what its provider added to a part, and that alone', async () => {
    const signature = (of: string): object => ({ providerMetadata: { google: { signature: of } } });
    const model = mockOf(
      Model,
      { type: 'stream-start', warnings: [] },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
      { type: 'reasoning-end', id: '0', ...signature('r') },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'I look.' },
      { type: 'text-end', id: '0' },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'run', input: '{"n":1}', ...signature('t') },
      finish,
    );
    const parts = await ask(aiSdkModel(model));
    expect(parts).toContainEqual({ type: 'tool-input-delta', id: 'a', json: '{"n":1}' });
    const { content, ...end } = endOf(parts);
    expect(end).toMatchObject({
      stopReason: 'tool-use',
      usage: { inputTokens: 9, outputTokens: 5, cachedInputTokens: 4, cacheWriteInputTokens: 3 },
    });
    await ask(aiSdkModel(model), { messages: [question, { role: 'assistant', content }] });
    const { prompt } = model.doStreamCalls[1]!;
    expect(prompt.at(-1)?.content).toEqual([
      { type: 'reasoning', text: 'Hm.', providerOptions: { google: { signature: 'r' } } },
      { type: 'text', text: 'I look.' },
      {
        type: 'tool-call',
        toolCallId: 'a',
        toolName: 'run',
        input: { n: 1 },
        providerOptions: { google: { signature: 't' } },
      },
    ]);
  });

  it('does not get the thinking at the end of an earlier answer, which services refuse', async () => {
    const model = mockOf(Model, finish);
    const added = { type: 'opaque', value: { providerMetadata: { google: { n: 1 } } } } as const;
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: '' } as const;
    const said = { type: 'text', text: 'So far.' } as const;
    await ask(aiSdkModel(model), {
      messages: [
        question,
        { role: 'assistant', content: [said, added, thinking, added, thinking] },
        question,
        { role: 'assistant', content: [added, thinking] },
        question,
      ],
    });
    const sent = model.doStreamCalls[0]?.prompt.slice(-3);
    const [asked] = question.content;
    expect(sent).toMatchObject([
      { role: 'user', content: [asked] },
      { role: 'assistant', content: [said] },
      { role: 'user', content: [asked, asked] },
    ]);
  });

  it('gets files in the form of its version', async () => {
    const model = mockOf(Model, finish);
    const content = [png, linkedImage, pdf, plainText];
    await ask(aiSdkModel(model), { messages: [{ role: 'user', content }] });
    const given = model.doStreamCalls[0]?.prompt.at(-1)?.content as { data: unknown }[];
    const [image, linked, document, text] = given.map(({ data }) => data);
    const url = new URL('https://example.org/cat.png');
    expect([image, linked, document]).toEqual(
      name.endsWith('V3')
        ? [(png as { data: string }).data, url, (pdf as { data: string }).data]
        : [
            { type: 'data', data: (png as { data: string }).data },
            { type: 'url', url },
            { type: 'data', data: (pdf as { data: string }).data },
          ],
    );
    expect(text).toEqual(
      name.endsWith('V3')
        ? Buffer.from('Rent: 800 €').toString('base64')
        : { type: 'text', text: 'Rent: 800 €' },
    );
  });

  it.each([
    ['a file', { type: 'file', mediaType: 'image/png', data: 'AA==' }],
    [
      'a call that the provider runs',
      { type: 'tool-call', toolCallId: 'a', toolName: 'b', input: '{}', providerExecuted: true },
    ],
  ])('whose answer has %s fails, and nothing is dropped in silence', async (_, part) => {
    const { error } = await failureOf(aiSdkModel(mockOf(Model, part, finish)));
    expect(error.code).toBe('MODEL_REQUEST_FAILED');
  });

  it.each<[string, object, number | undefined]>([
    [
      'with the name of a header that HTTP does not allow',
      error500({ 'bad name': 'x', 'Retry-After': '3' }),
      3000,
    ],
    [
      'with the value of a header that HTTP does not allow',
      error500({ 'x-note': 'a\nb', 'retry-after-ms': '20' }),
      20,
    ],
    ['that is an object with a BigInt', { tokens: 1n }, undefined],
    ['that is an object which refers to itself', cycle(), undefined],
  ])('whose request fails with an error %s has a code', async (_, thrown, retryAfterMs) => {
    const model = mockOf(Model);
    model.doStream = async () => {
      throw thrown;
    };
    const { error } = await failureOf(aiSdkModel(model));
    expect(error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      cause: thrown,
      details: { retryAfterMs },
    });
  });

  it('whose answer has no reason to stop was cut', async () => {
    const end = { ...finish, finishReason: { unified: 'other', raw: undefined } };
    const call = { type: 'tool-call', toolCallId: 'a', toolName: 'b', input: '{}' };
    expect((await failureOf(aiSdkModel(mockOf(Model, call, end)))).error.code).toBe(
      'MODEL_STREAM_CUT',
    );
    expect((await failureOf(aiSdkModel(mockOf(Model, call)))).error.code).toBe('MODEL_STREAM_CUT');
  });

  it('that does not heed the signal ends at once nevertheless', async () => {
    const model = mockOf(Model);
    let isCancelled = false;
    const stream = new ReadableStream({
      start: (answer) => {
        answer.enqueue({ type: 'tool-input-start', id: 'a', toolName: 'run' });
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    model.doStream = async () => ({ stream });
    const { error, reason } = await failureInMidStream(aiSdkModel(model));
    expect(error).toMatchObject({ code: 'ABORTED', cause: reason });
    expect(isCancelled).toBe(true);
  });

  it('whose answer is too large is not read further', async () => {
    const large = { type: 'text-delta', id: '0', delta: 'x'.repeat(17 * 1024 * 1024) };
    expect((await failureOf(aiSdkModel(mockOf(Model, large, finish)))).error).toMatchObject({
      code: 'MODEL_ANSWER_INVALID',
      message: expect.stringContaining('16777216 bytes'),
    });
    const calls = Array.from({ length: 10_001 }, (_, index) => {
      return { type: 'tool-call', toolCallId: `${index}`, toolName: 'b', input: '{}' };
    });
    expect((await failureOf(aiSdkModel(mockOf(Model, ...calls, finish)))).error).toMatchObject({
      code: 'MODEL_ANSWER_INVALID',
      message: expect.stringContaining('more than 10000 parts'),
    });
  });
});

it.each([
  ['the name of a model', 'anthropic/claude-opus-5', /not .*"anthropic\/claude-opus-5"/],
  ['a model of version 5', { specificationVersion: 'v2', doStream: () => {} }, /specification v2/],
])('%s is refused', (_, model, message) => {
  expect(thrownBy(() => aiSdkModel(model as unknown as AiSdkModel))).toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringMatching(message),
  });
});
