import type { LanguageModel, ModelRequest } from '../../models/language-model.ts';
import { PtcError } from '../../shared/errors.ts';
import { estimateFixedPart, estimateMessages } from './message-tokens.ts';

/**
 * The share of the model's context window that a request may fill before it is shortened. Estimates
 * are not exact.
 */
const FULL_SHARE = 0.8;

/**
 * Added to both counts, so that the constant number of tokens that services add to each request has
 * little effect on the ratio of a short one.
 */
const OUTWEIGHED_TOKENS = 1000;

/** What is known about a model's token counts. */
interface Measure {
  /** How many tokens the service counts for each estimated token. */
  readonly ratio: number;
  /** The shortest request that the service refused because it was too long, in estimated tokens. */
  readonly refused: number;
}

const UNKNOWN: Measure = { ratio: 1, refused: Infinity };

/** The sizes of requests that fit the models of one conversation, as their services count them. */
export class ContextWindow {
  readonly #measures: WeakMap<LanguageModel, Measure> = new WeakMap();

  /** About how many tokens the service would count for a request. */
  tokens(model: LanguageModel, request: ModelRequest): number {
    return Math.round(estimateRequest(request) * this.#measureOf(model).ratio);
  }

  /** Whether a request must be shortened before it is sent. @throws PtcError `OPTION_INVALID`. */
  isFull(model: LanguageModel, request: ModelRequest): boolean {
    return estimateRequest(request) > this.limit(model, request.maxTokens);
  }

  /**
   * How many estimated tokens a request may have; infinite if the model has no
   * `contextWindowTokens`, and its service has not refused a request yet.
   */
  limit(model: LanguageModel, maxTokens: number): number {
    const { ratio, refused } = this.#measureOf(model);
    const { id, contextWindowTokens: window = Infinity } = model;
    // Some services refuse a request if its longest possible answer does not fit as well.
    const longest = Math.min(window * FULL_SHARE, window - maxTokens);
    if (longest > 0) return Math.min(longest / ratio, refused * FULL_SHARE);
    const message = `maxTokens is ${maxTokens}, and contextWindowTokens of ${id} is ${window}: an answer of this length leaves no room for the conversation. Lower maxTokens.`;
    throw new PtcError('OPTION_INVALID', message, { details: { maxTokens, window } });
  }

  /** Records the number of tokens that the service counted for a request. */
  counted(model: LanguageModel, request: ModelRequest, inputTokens: number): void {
    // Some services report no count.
    if (inputTokens <= 0) return;
    const estimated = estimateRequest(request);
    const ratio = (inputTokens + OUTWEIGHED_TOKENS) / (estimated + OUTWEIGHED_TOKENS);
    this.#measures.set(model, { ...this.#measureOf(model), ratio });
  }

  /**
   * Records that the service refused a request because of its length, or that its answer did not
   * fit.
   */
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
