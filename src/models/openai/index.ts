/**
 * Models behind OpenAI's chat completions, which many other services have too.
 * @module sandboxed-ptc/openai
 */
export { openaiModel, type OpenAIModelOptions } from './model.ts';
export type { OpenAIClient } from './client.ts';
export type { OpenAIMaxTokensField } from './request.ts';
export type { ClientRequestOptions } from '../shared/client-options.ts';
