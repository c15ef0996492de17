import { setTimeout as wait } from 'node:timers/promises';
import type {
  LanguageModel,
  ModelRequest,
  ModelStreamEnd,
  ModelStreamPart,
} from '../../models/language-model.ts';
import { streamCutError } from '../../models/model-errors.ts';
import { LONGEST_WAIT_MS } from '../../models/retry-after.ts';
import { PtcError } from '../../shared/errors.ts';
import type { RunEventBody } from '../run-events.ts';
import { toldError } from '../told-error.ts';
import { readableBy } from './own-blocks.ts';
import { readAnswer } from './read-answer.ts';

/** The first wait before a request is sent again; each further one is twice as long. Half of it is left to chance. */
const FIRST_WAIT_MS = 500;

export interface ModelCallsOptions {
  /** Asked if another model fails for good. */
  readonly fallbackModel: LanguageModel | undefined;
  /** How often a request is sent again that failed in passing. */
  readonly maxRetries: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEventBody) => void;
}

/** One request, and who hears of its answer. */
export interface ModelCall {
  readonly turn: number;
  readonly model: LanguageModel;
  readonly request: ModelRequest;
  /** Hears of the answer piece by piece. */
  readonly onPart: (part: Exclude<ModelStreamPart, ModelStreamEnd>) => void;
  /** What was heard of the answer is void. */
  readonly onVoid: () => void;
}

export interface CompletedCall {
  readonly end: ModelStreamEnd;
  /** The model that answered. */
  readonly model: LanguageModel;
}

/** The model calls of one run: sent again if they failed in passing, and to another model if they failed for good. */
export class ModelCalls {
  readonly #options: ModelCallsOptions;
  /** They are not asked again in this run. */
  readonly #failed: Set<LanguageModel> = new Set();

  constructor(options: ModelCallsOptions) {
    this.#options = options;
  }

  /** The model that a call for another one would go to now. */
  modelFor(model: LanguageModel): LanguageModel {
    return (this.#failed.has(model) ? this.#options.fallbackModel : undefined) ?? model;
  }

  /** @throws what the last model threw; a context that is too long, and the signal's reason, at once. */
  async call(call: ModelCall): Promise<CompletedCall> {
    const { maxRetries, signal } = this.#options;
    let model = this.modelFor(call.model);
    for (let retries = 0; ; retries += 1) {
      try {
        return { end: await this.#ask(model, call), model };
      } catch (error) {
        if (signal.aborted || isTooLong(error)) throw error;
        const waitMs = retries < maxRetries ? waitBefore(error, retries) : undefined;
        const next = waitMs === undefined ? this.#nextAfter(model) : model;
        if (next === undefined) throw error;
        call.onVoid();
        this.#tellRetry(call.turn, { model, next, error, waitMs });
        if (next !== model) retries = -1;
        model = next;
        await wait(waitMs ?? 0, undefined, { signal });
      }
    }
  }

  async #ask(model: LanguageModel, { request, onPart }: ModelCall): Promise<ModelStreamEnd> {
    const messages = readableBy(request.messages, model.id);
    for await (const part of model.stream({ ...request, messages })) {
      if (part.type === 'end') return readAnswer(part, model.id);
      onPart(part);
    }
    throw streamCutError(model.id);
  }

  #nextAfter(model: LanguageModel): LanguageModel | undefined {
    this.#failed.add(model);
    const { fallbackModel } = this.#options;
    return fallbackModel === model ? undefined : fallbackModel;
  }

  #tellRetry(
    turn: number,
    retry: {
      readonly model: LanguageModel;
      readonly next: LanguageModel;
      readonly error: unknown;
      readonly waitMs: number | undefined;
    },
  ): void {
    const { model, next, error, waitMs = 0 } = retry;
    this.#options.onEvent({
      type: 'model-retry',
      turn,
      model: model.id,
      nextModel: next.id,
      waitMs,
      error: toldError(error),
    });
  }
}

/** Whether a request failed for its length. */
export function isTooLong(error: unknown): boolean {
  return PtcError.isInstance(error) && error.code === 'MODEL_CONTEXT_EXCEEDED';
}

/**
 * How long to wait before a request is sent again; undefined if that would not help, or if its client has tried it
 * already as often as it should.
 */
function waitBefore(error: unknown, retries: number): number | undefined {
  if (!PtcError.isInstance(error)) return undefined;
  const { retriedByClient, retryAfterMs } = error.details;
  const isPassing =
    error.code === 'MODEL_STREAM_CUT' ||
    error.code === 'MODEL_OVERLOADED' ||
    // The service broke in the middle of its answer.
    (error.code === 'MODEL_REQUEST_FAILED' && retriedByClient === false);
  if (!isPassing || retriedByClient === true) return undefined;
  if (typeof retryAfterMs === 'number' && retryAfterMs >= 0) {
    return retryAfterMs <= LONGEST_WAIT_MS ? retryAfterMs : undefined;
  }
  return Math.round(FIRST_WAIT_MS * 2 ** retries * (1 - Math.random() / 2));
}
