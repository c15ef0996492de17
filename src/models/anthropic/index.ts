/**
 * Models behind Anthropic's Messages API.
 * @module sandboxed-ptc/anthropic
 */
export { anthropicModel, type AnthropicModelOptions } from './model.ts';
export type { AnthropicClient } from './client.ts';
export type { AnthropicThinking } from './thinking.ts';
export type { ClientRequestOptions } from '../shared/client-options.ts';
