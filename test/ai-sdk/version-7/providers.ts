import { join } from 'node:path';
import type { AiSdkModel } from '../../../src/ai-sdk/index.ts';
import { DIRECTORY } from './install.mjs';

type Create = (options: object) => (modelId: string) => AiSdkModel;

const load = async (name: string): Promise<Record<string, Create>> =>
  (await import(join(DIRECTORY, `node_modules/@ai-sdk/${name}/dist/index.js`))) as never;

const { createAnthropic } = await load('anthropic');
const { createOpenAICompatible } = await load('openai-compatible');

/** A model of `@ai-sdk/anthropic` at the address of a test server. */
export function anthropicAt(baseUrl: string): AiSdkModel {
  return createAnthropic!({ apiKey: 'test-key', baseURL: `${baseUrl}/v1` })('claude-test');
}

/** A model of `@ai-sdk/openai-compatible` at the address of a test server. */
export function openaiAt(baseURL: string): AiSdkModel {
  return createOpenAICompatible!({ name: 'test', apiKey: 'test-key', baseURL, includeUsage: true })(
    'gpt-test',
  );
}

/** A model that finds no key. */
export function withoutKey(): AiSdkModel {
  return createAnthropic!({ baseURL: 'http://127.0.0.1:9/v1' })('claude-test');
}
