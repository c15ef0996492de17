import type { ModelStreamEnd, TokenUsage } from '../../models/language-model.ts';
import { PtcError } from '../../shared/errors.ts';
import { jsonSchemaCheck, type JsonSchemaCheck } from '../../tools/json-schema-validator.ts';
import { ANSWER_SCHEMA } from '../message-schema.ts';

let schemaCheck: JsonSchemaCheck | undefined;

/**
 * Checks what a model's adapter made of an answer, before it gets into the conversation: a conversation with something
 * else in it could not be sent or read again. What its service did not count right counts as 0.
 * @throws PtcError `MODEL_ANSWER_INVALID`.
 */
export function readAnswer(end: ModelStreamEnd, model: string): ModelStreamEnd {
  schemaCheck ??= jsonSchemaCheck(ANSWER_SCHEMA);
  const checked = schemaCheck.check({ content: end.content });
  if (!checked.valid) {
    throw new PtcError(
      'MODEL_ANSWER_INVALID',
      `The answer of ${model} is not one that can be used: ${checked.message}. Its adapter or its service made it wrong.`,
    );
  }
  return { ...end, usage: countsOf(end.usage) };
}

function countsOf(usage: Partial<TokenUsage> | undefined): TokenUsage {
  const { inputTokens, outputTokens, cachedInputTokens, ...others } = usage ?? {};
  return {
    ...others,
    inputTokens: countOf(inputTokens),
    outputTokens: countOf(outputTokens),
    cachedInputTokens: countOf(cachedInputTokens),
  };
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
