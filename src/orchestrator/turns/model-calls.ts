import { setTimeout as wait } from 'node:timers/promises';
import type {
  LanguageModel,
  ModelRequest,
  ModelStreamEnd,
  ModelStreamPart,
} from '../../models/language-model.ts';
import { noEndError } from '../../models/model-errors.ts';
import { LONGEST_WAIT_MS } from '../../models/retry-after.ts';
import { PtcError } from '../../shared/errors.ts';
import type { RunEventBody } from '../events/run-events.ts';
import { errorSummary } from '../events/error-summary.ts';
import { readableBy } from './model-specific-blocks.ts';
import { AnswerSize, readAnswer } from './read-answer.ts';

/**
 * The wait before the first retry. Each further wait is twice as long. Half of each wait is random.
 */
const FIRST_WAIT_MS = 500;

export interface ModelCallsOptions {
  /** Asked if another model has finally failed. */
  readonly fallbackModel: LanguageModel | undefined;
  /** How often a request is retried after a temporary failure. */
  readonly maxRetries: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEventBody) => void;
}

/** One request, and the callbacks for its answer. */
export interface ModelCall {
  readonly turn: number;
  readonly model: LanguageModel;
  readonly request: ModelRequest;
  /** Called with each part of the answer. */
  readonly onPart: (part: Exclude<ModelStreamPart, ModelStreamEnd>) => void;
  /** Called if the parts so far are void. */
  readonly onVoid: () => void;
}

export interface CompletedCall {
  readonly end: ModelStreamEnd;
  /** The model that answered. */
  readonly model: LanguageModel;
}

/**
 * The model calls of one run. Retries temporary failures, and uses another model after final ones.
 */
export class ModelCalls {
  readonly #options: ModelCallsOptions;
  /** The models that are not asked again in this run. */
  readonly #failed: Set<LanguageModel> = new Set();

  constructor(options: ModelCallsOptions) {
    this.#options = options;
  }

  /** The model to which a call for this model would go now. */
  modelFor(model: LanguageModel): LanguageModel {
    return (this.#failed.has(model) ? this.#options.fallbackModel : undefined) ?? model;
  }

  /**
   * @throws the error of the last model; at once for a context that is too long, and for the
   *   signal's reason.
   */
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
    const size = new AnswerSize(model.id);
    for await (const part of model.stream({ ...request, messages })) {
      if (part.type === 'answer-ended') return readAnswer(part, model.id);
      size.add(part);
      onPart(part);
    }
    throw noEndError(model.id);
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
      type: 'model-retry-scheduled',
      turn,
      model: model.id,
      nextModel: next.id,
      waitMs,
      error: errorSummary(error),
    });
  }
}

/** Whether a request failed because it was too long. */
export function isTooLong(error: unknown): boolean {
  return PtcError.isInstance(error) && error.code === 'MODEL_CONTEXT_EXCEEDED';
}

/**
 * How long to wait before a retry; undefined if a retry would not help, or if the client of the
 * service has already retried often enough.
 */
function waitBefore(error: unknown, retries: number): number | undefined {
  if (!PtcError.isInstance(error)) return undefined;
  const { retriedByClient, retryAfterMs } = error.details;
  const isPassing =
    error.code === 'MODEL_STREAM_CUT' ||
    error.code === 'MODEL_OVERLOADED' ||
    // The service failed in the middle of its answer.
    (error.code === 'MODEL_REQUEST_FAILED' && retriedByClient === false);
  if (!isPassing || retriedByClient === true) return undefined;
  if (typeof retryAfterMs === 'number' && retryAfterMs >= 0) {
    return retryAfterMs <= LONGEST_WAIT_MS ? retryAfterMs : undefined;
  }
  return Math.round(FIRST_WAIT_MS * 2 ** retries * (1 - Math.random() / 2));
}
