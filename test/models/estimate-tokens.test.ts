import { expect, it } from 'vitest';
import { estimateRequestTokens } from '../../src/models/estimate-tokens.ts';
import type { AssistantBlock, UserBlock } from '../../src/models/language-model.ts';
import type { JsonObject } from '../../src/shared/json/json.ts';
import { linkedImage, linkedPdf } from '../support/media.ts';
import { request } from '../support/model-requests.ts';

const LONG = 'x'.repeat(100_000);

const image = { type: 'image', mediaType: 'image/png', data: LONG } as const;
const document = { type: 'document', mediaType: 'application/pdf', data: LONG } as const;

function tokensOfAnswer(block: AssistantBlock): number {
  return estimateRequestTokens(request({ messages: [{ role: 'assistant', content: [block] }] }));
}

function tokensOfInput(...content: UserBlock[]): number {
  return estimateRequestTokens(request({ messages: [{ role: 'user', content }] }));
}

it.each([
  ['an image with a text', { type: 'image', text: LONG }],
  ['an image', image],
  ['a PDF', document],
  ['a document without a source', { type: 'document', source: null, pages: [LONG] }],
] as [string, JsonObject][])('an argument that looks like %s counts by its length', (_, value) => {
  const input: JsonObject = { value, values: [value] };
  const block = { type: 'tool-use', id: 'a', name: 'send', input } as const;
  expect(tokensOfAnswer(block)).toBeGreaterThan(50_000);
  expect(tokensOfAnswer({ type: 'opaque', value: input })).toBeGreaterThan(50_000);
  const tools = [{ name: 'send', description: 'Sends.', inputSchema: {}, inputExamples: [input] }];
  expect(estimateRequestTokens(request({ tools }))).toBeGreaterThan(50_000);
});

it('an image and a PDF count as 1400 tokens each, however long they are', () => {
  const nothing = tokensOfInput();
  expect(tokensOfInput(image, document, linkedImage, linkedPdf) - nothing).toBe(4 * 1400);
});

it('the images of a result count as 1400 tokens each, and its text by its length', () => {
  const result = {
    type: 'tool-result',
    toolUseId: 'a',
    text: 'x'.repeat(400),
    isError: false,
  } as const;
  const without = tokensOfInput(result);
  expect(tokensOfInput({ ...result, images: [image, image] }) - without).toBe(2 * 1400);
  expect(without - tokensOfInput({ ...result, text: '' })).toBe(100);
});
