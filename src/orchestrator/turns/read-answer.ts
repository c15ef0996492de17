import type { ModelStreamEnd, TokenUsage } from '../../models/language-model.ts';
import { PtcError } from '../../shared/errors.ts';
import { isNestedDeeper } from '../../shared/nesting.ts';
import { MAXIMUM_ANSWER_NESTING } from '../conversation-document.ts';
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
  if (!checked.valid) throw invalidAnswer(model, checked.message);
  if (isNestedDeeper(end.content, MAXIMUM_ANSWER_NESTING)) {
    throw invalidAnswer(model, `it is nested more than ${MAXIMUM_ANSWER_NESTING} levels deep`);
  }
  return { ...end, usage: countsOf(end.usage) };
}

function invalidAnswer(model: string, why: string): PtcError {
  return new PtcError(
    'MODEL_ANSWER_INVALID',
    `The answer of ${model} is not one that can be used: ${why}. Its adapter or its service made it wrong.`,
  );
}

function countsOf(usage: Partial<TokenUsage> | undefined): TokenUsage {
  const read = usage ?? {};
  const { cacheWriteInputTokens: written, cacheWritesByTtl: byTtl } = read;
  const { answersByServiceTier: byTier } = read;
  return {
    inputTokens: countOf(read.inputTokens),
    outputTokens: countOf(read.outputTokens),
    cachedInputTokens: countOf(read.cachedInputTokens),
    ...(written !== undefined && { cacheWriteInputTokens: countOf(written) }),
    ...(isObject(byTtl) && { cacheWritesByTtl: countsByName(byTtl) }),
    ...(isObject(byTier) && { answersByServiceTier: countsByName(byTier) }),
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function countsByName(counts: object): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, countOf(count)]));
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
