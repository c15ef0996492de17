import type { LanguageModel, ModelRequest } from '../../models/language-model.ts';
import { PtcError } from '../../shared/errors.ts';
import { estimateFixedPart, estimateMessages } from './message-tokens.ts';

/** Of what a model can read, what a request may take before it is made shorter: estimates are not exact. */
const FULL_SHARE = 0.8;

/** What services add to each request must not count in proportion: a short one says little of longer ones. */
const OUTWEIGHED_TOKENS = 1000;

/** What is known of a model's tokens. */
interface Measure {
  /** How many tokens the service counts for each that is estimated. */
  readonly ratio: number;
  /** The shortest request that the service refused for its length, in estimated tokens. */
  readonly refused: number;
}

const UNKNOWN: Measure = { ratio: 1, refused: Infinity };

/** What fits into the models of one conversation, as their services count it. */
export class ContextWindow {
  readonly #measures: WeakMap<LanguageModel, Measure> = new WeakMap();

  /** About how many tokens the service would count for a request. */
  tokens(model: LanguageModel, request: ModelRequest): number {
    return Math.round(estimateRequest(request) * this.#measureOf(model).ratio);
  }

  /** Whether a request is to be made shorter before it is sent. @throws PtcError `OPTION_INVALID`. */
  isFull(model: LanguageModel, request: ModelRequest): boolean {
    return estimateRequest(request) > this.limit(model, request.maxTokens);
  }

  /**
   * How many estimated tokens a request may take; infinite if the model does not say what it can read, and its
   * service has refused nothing yet.
   */
  limit(model: LanguageModel, maxTokens: number): number {
    const { ratio, refused } = this.#measureOf(model);
    const { id, contextWindowTokens: window = Infinity } = model;
    // Some services refuse a request if its longest answer would not fit beside it.
    const longest = Math.min(window * FULL_SHARE, window - maxTokens);
    if (longest > 0) return Math.min(longest / ratio, refused * FULL_SHARE);
    const message = `maxTokens is ${maxTokens}, and contextWindowTokens of ${id} is ${window}: an answer of this length leaves no room for the conversation. Lower maxTokens.`;
    throw new PtcError('OPTION_INVALID', message, { details: { maxTokens, window } });
  }

  /** Takes what the service counted for a request. */
  counted(model: LanguageModel, request: ModelRequest, inputTokens: number): void {
    // Some services count nothing.
    if (inputTokens <= 0) return;
    const estimated = estimateRequest(request);
    const ratio = (inputTokens + OUTWEIGHED_TOKENS) / (estimated + OUTWEIGHED_TOKENS);
    this.#measures.set(model, { ...this.#measureOf(model), ratio });
  }

  /** The service refused a request for its length, or its answer did not fit beside it. */
  refused(model: LanguageModel, request: ModelRequest): void {
    const measure = this.#measureOf(model);
    const refused = Math.min(measure.refused, estimateRequest(request));
    this.#measures.set(model, { ...measure, refused });
  }

  #measureOf(model: LanguageModel): Measure {
    return this.#measures.get(model) ?? UNKNOWN;
  }
}

function estimateRequest(request: ModelRequest): number {
  return estimateFixedPart(request) + estimateMessages(request.messages);
}
