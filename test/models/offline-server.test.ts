import { describe, expect, it } from 'vitest';
import { anthropicModel } from '../../src/models/anthropic/model.ts';
import type { InputBlock, LanguageModel } from '../../src/models/language-model.ts';
import { startOfflineModel } from '../support/offline-server.ts';
import type { OfflineModel, OfflineScript } from '../support/offline-server.ts';
import { imageData, pdf } from '../support/media.ts';
import { ask, endOf, failureOf, question } from '../support/model-requests.ts';

const script: OfflineScript = ({ messages }) => {
  const last = messages.at(-1)?.content;
  const result = typeof last === 'object' ? last[0] : undefined;
  return result?.type === 'tool_result'
    ? {
        content: [{ type: 'text', text: `It printed ${String(result['content'])}` }],
        stopReason: 'end_turn',
      }
    : {
        content: [
          { type: 'text', text: 'I count them.' },
          { type: 'tool_use', id: 'toolu_1', name: 'execute_code', input: { code: 'print(42)' } },
        ],
        stopReason: 'tool_use',
      };
};

function modelAt({ baseUrl }: OfflineModel): LanguageModel {
  return anthropicModel({ model: 'offline', apiKey: 'offline', baseUrl });
}

describe('the offline model', () => {
  it('holds a conversation with the real client', async () => {
    await using offline = await startOfflineModel(script);
    const model = modelAt(offline);
    const first = await ask(model);
    expect(first.filter((part) => part.type === 'tool-input-delta').length).toBeGreaterThan(1);
    const { content, stopReason } = endOf(first);
    expect(stopReason).toBe('tool-use');
    const second = endOf(
      await ask(model, {
        messages: [
          question,
          { role: 'assistant', content },
          {
            role: 'user',
            content: [{ type: 'tool-result', toolUseId: 'toolu_1', text: '42', isError: false }],
          },
        ],
      }),
    );
    expect(second.content).toEqual([{ type: 'text', text: 'It printed 42' }]);
  });

  it('counts the tokens of what it was really sent', async () => {
    await using offline = await startOfflineModel(script);
    const short = endOf(await ask(modelAt(offline))).usage;
    const long = endOf(await ask(modelAt(offline), { system: 'x'.repeat(4000) })).usage;
    expect(long.outputTokens).toBe(short.outputTokens);
    expect(long.inputTokens - short.inputTokens).toBeGreaterThan(900);
    expect(long.inputTokens - short.inputTokens).toBeLessThan(1100);
  });

  it('counts an image and a PDF by what they are, and a document of text by its length', async () => {
    await using offline = await startOfflineModel(script);
    const tokensOf = async (...content: InputBlock[]): Promise<number> => {
      const messages = [{ role: 'user', content }] as const;
      return endOf(await ask(modelAt(offline), { messages })).usage.inputTokens;
    };
    const small = { type: 'image', mediaType: 'image/png', data: imageData('image/png') } as const;
    const large = { ...small, data: imageData('image/png', 100_000) };
    expect(await tokensOf(large)).toBe(await tokensOf(small));
    expect(await tokensOf(small)).toBeGreaterThan(1400);
    expect(await tokensOf(pdf, small)).toBeGreaterThan(2800);
    expect(
      await tokensOf({ type: 'document', mediaType: 'text/plain', text: 'x'.repeat(40_000) }),
    ).toBeGreaterThan(10_000);
  });

  it('says why its script failed', async () => {
    await using offline = await startOfflineModel(() => {
      throw new Error('There is no such turn.');
    });
    const { error } = await failureOf(modelAt(offline));
    expect(error).toMatchObject({
      code: 'MODEL_REQUEST_FAILED',
      message: expect.stringContaining('There is no such turn.'),
    });
  });

  it.each([
    [401, '/v1/messages', { 'anthropic-version': '2023-06-01' }, '{}'],
    [400, '/v1/messages', { authorization: 'Bearer k' }, '{}'],
    [400, '/v1/messages', { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }, '{'],
    [400, '/v1/messages', { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }, '{"model":"m"}'],
    [404, '/v1/complete', { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }, '{}'],
  ])(
    'refuses with %i what the service would refuse (%s, %o, %s)',
    async (status, path, headers, body) => {
      await using offline = await startOfflineModel(script);
      const response = await fetch(offline.baseUrl + path, { method: 'POST', headers, body });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ type: 'error' });
    },
  );

  it('is gone when it was closed, which may be done twice', async () => {
    const offline = await startOfflineModel(script);
    await offline.close();
    await offline.close();
    await expect(fetch(offline.baseUrl)).rejects.toThrow('fetch failed');
  });
});
