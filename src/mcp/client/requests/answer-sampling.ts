import { estimateRequestTokens } from '../../../models/estimate-tokens.ts';
import type {
  ModelRequest,
  ModelStreamEnd,
  StopReason,
  TextBlock,
} from '../../../models/language-model.ts';
import { noEndError } from '../../../models/model-errors.ts';
import { AnswerSize, readAnswer } from '../../../orchestrator/turns/read-answer.ts';
import { messageOf } from '../../../shared/errors.ts';
import { warn } from '../../../shared/process-warning.ts';
import { readSampling } from './read-sampling.ts';
import type { RunningCalls } from './running-calls.ts';
import { samplingOf, type McpSampling } from './sampling.ts';
import { SamplingRefusal } from './sampling-refusal.ts';

/** An answer as the client sends it. */
export interface SamplingResult {
  readonly [key: string]: unknown;
  readonly model: string;
  readonly role: 'assistant';
  readonly content: { readonly type: 'text'; readonly text: string };
  readonly stopReason: string;
}

/** Has a model answer the requests of one server, over all its connections. */
export class SamplingAnswers {
  readonly #server: string;
  readonly #options: Required<McpSampling>;
  readonly #calls: RunningCalls;
  #requestsLeft: number;
  #tokensLeft: number;

  constructor(server: string, sampling: McpSampling, calls: RunningCalls) {
    this.#server = server;
    this.#options = samplingOf(sampling);
    this.#calls = calls;
    this.#requestsLeft = this.#options.maxRequests;
    this.#tokensLeft = this.#options.maxTotalTokens;
  }

  /** @throws SamplingRefusal */
  async answer(
    params: Readonly<Record<string, unknown>>,
    withdrawn: AbortSignal,
  ): Promise<SamplingResult> {
    const { model, maxTokens } = this.#options;
    const request = readSampling(params, maxTokens);
    const end = await this.#calls
      .answer(withdrawn, async (signal) => this.#askWithin({ ...request, signal }))
      .catch((error: unknown) => this.#refuse(error));
    if (end === undefined)
      throw new SamplingRefusal('no call waits for the answer, or too many do');
    const { content, stopReason } = end;
    const texts = content.filter((block): block is TextBlock => block.type === 'text');
    return {
      model: model.id,
      role: 'assistant',
      content: { type: 'text', text: texts.map(({ text }) => text).join('') },
      stopReason: STOP_REASONS[stopReason] ?? stopReason,
    };
  }

  /** Asks the model, which uses up the budget. @throws SamplingRefusal if the budget is too small. */
  async #askWithin(request: ModelRequest): Promise<ModelStreamEnd> {
    const reserved = this.#reserve(request);
    const end = await this.#ask(request);
    this.#tokensLeft += reserved - end.usage.inputTokens - end.usage.outputTokens;
    return end;
  }

  /**
   * Takes what a request can use at most from the budget. What it did not use comes back with the
   * answer. If there is none, it is not known what the service counts.
   */
  #reserve(request: ModelRequest): number {
    const { maxRequests, maxTotalTokens } = this.#options;
    const reserved = estimateRequestTokens(request) + request.maxTokens;
    if (this.#requestsLeft === 0) {
      throw new SamplingRefusal(`the limit of ${maxRequests} requests is used up`);
    }
    if (reserved > this.#tokensLeft) {
      throw new SamplingRefusal(
        `it may need ${reserved} tokens, and ${Math.max(0, this.#tokensLeft)} of ${maxTotalTokens} are left`,
      );
    }
    this.#requestsLeft -= 1;
    this.#tokensLeft -= reserved;
    return reserved;
  }

  async #ask(request: ModelRequest): Promise<ModelStreamEnd> {
    const { model } = this.#options;
    const size = new AnswerSize(model.id);
    for await (const part of model.stream(request)) {
      if (part.type === 'answer-ended') return readAnswer(part, model.id);
      size.add(part);
    }
    throw noEndError(model.id);
  }

  /** The error of a model can contain what the server must not know, such as an address. */
  #refuse(error: unknown): never {
    if (error instanceof SamplingRefusal) throw error;
    warn(
      `The model that the MCP server ${this.#server} asked failed: ${messageOf(error)}`,
      'PTC_MCP_SAMPLING',
    );
    throw new SamplingRefusal('the model failed');
  }
}

/** The names of the protocol. */
const STOP_REASONS: Readonly<Partial<Record<StopReason, string>>> = {
  end: 'endTurn',
  'max-tokens': 'maxTokens',
};
