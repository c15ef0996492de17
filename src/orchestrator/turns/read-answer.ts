import { isRecord } from '../../shared/guards.ts';
import type { ModelStreamEnd, ModelStreamPart, TokenUsage } from '../../models/language-model.ts';
import { PtcError } from '../../shared/errors.ts';
import { isNestedDeeper } from '../../shared/json/nesting.ts';
import { MAXIMUM_ANSWER_NESTING } from '../conversation/conversation-document.ts';
import { jsonSchemaCheck, type JsonSchemaCheck } from '../../tools/schema/json-schema-validator.ts';
import { ANSWER_SCHEMA } from '../conversation/message-schema.ts';

/**
 * The largest answer, far above what a model writes: work on an answer takes time and memory of the
 * host, and its service decides how long it is.
 */
const MAX_CALLS = 1000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Counts the parts of one answer as they arrive. */
export class AnswerSize {
  readonly #model: string;
  #calls = 0;
  #characters = 0;

  constructor(model: string) {
    this.#model = model;
  }

  /** @throws PtcError `MODEL_ANSWER_INVALID` if the answer is too large, or its text is not one. */
  add(part: Exclude<ModelStreamPart, ModelStreamEnd>): void {
    if (part.type === 'tool-use-started') this.#calls += 1;
    else {
      // Adapters pass on what their service sends.
      const text: unknown = part.type === 'tool-input-delta' ? part.json : part.text;
      if (typeof text !== 'string') {
        throw invalidAnswer(
          this.#model,
          `a part of type ${part.type} has a text that is not a string`,
        );
      }
      this.#characters += text.length;
    }
    if (this.#calls > MAX_CALLS) {
      throw invalidAnswer(this.#model, `it has more than ${MAX_CALLS} tool calls`);
    }
    if (this.#characters > MAX_CHARACTERS) {
      throw invalidAnswer(this.#model, `it has more than ${MAX_CHARACTERS} characters`);
    }
  }
}

let schemaCheck: JsonSchemaCheck | undefined;

/**
 * Validates an answer from a model adapter before it is added to the conversation. A conversation
 * with an invalid answer could not be sent or read again. Invalid token counts become 0.
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
    `The answer of ${model} cannot be used: ${why}. The cause is in the model's adapter or service.`,
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
    ...(isRecord(byTtl) && { cacheWritesByTtl: countsByName(byTtl) }),
    ...(isRecord(byTier) && { answersByServiceTier: countsByName(byTier) }),
  };
}

function countsByName(counts: object): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, countOf(count)]));
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
