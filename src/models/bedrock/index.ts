/**
 * Models on Amazon Bedrock.
 * @module sandboxed-ptc/bedrock
 */
export { bedrockModel, type BedrockModelOptions } from './model.ts';
export type { BedrockClient, BedrockServiceTier } from './client.ts';
