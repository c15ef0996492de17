import type { AiSdkModel, ProviderOptions } from './sdk-model.ts';

const ANTHROPIC = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/**
 * What marks the end of a part of a request that the service can cache. Other providers ignore the
 * mark for Anthropic. On Bedrock, models without prompt caching refuse marks.
 */
export function cacheMarksOf({ modelId }: AiSdkModel): ProviderOptions {
  return modelId.includes('anthropic.claude')
    ? { ...ANTHROPIC, bedrock: { cachePoint: { type: 'default' } } }
    : ANTHROPIC;
}
