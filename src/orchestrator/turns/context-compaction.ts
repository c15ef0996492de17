import type {
  LanguageModel,
  ModelMessage,
  ModelRequest,
  TokenUsage,
} from '../../models/language-model.ts';
import { CONTEXT_REMEDY } from '../../models/model-errors.ts';
import { addUsage, NO_USAGE } from '../../models/token-usage.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { invalidReturn } from '../../shared/options/option-values.ts';
import { compact } from '../context/compact.ts';
import type { ContextWindow } from '../context/context-window.ts';
import { estimateFixedPart, estimateMessages, measureMessages } from '../context/message-tokens.ts';
import { summarizeByModel } from '../context/summary.ts';
import type { RunEventBody } from '../events/run-events.ts';
import type { Transcript } from '../conversation/transcript.ts';
import { callHook } from './hooks.ts';
import { isTooLong, type ModelCalls } from './model-calls.ts';
import type { RunLimits } from './run-limits.ts';

/**
 * Summarizes the older part of a conversation. The returned text replaces that part.
 * @param messages - The messages to replace. The model ran programs with the tool `execute_code`.
 * @param options - `signal` fires if the run ends.
 */
export type SummarizeFunction = (
  messages: readonly ModelMessage[],
  options: { readonly signal: AbortSignal },
) => string | Promise<string>;

/** How often a record that was too long for one request is retried in smaller parts. */
const MAX_SUMMARY_ATTEMPTS = 4;

export interface ContextCompactionOptions {
  readonly transcript: Transcript;
  readonly window: ContextWindow;
  /** @default the model is asked */
  readonly summarize?: SummarizeFunction;
  /** As `TurnOptions.filesNote`. */
  readonly filesNote: () => string;
  readonly calls: ModelCalls;
  /** They are checked before each request of a summary. */
  readonly limits: RunLimits;
  /** Writes the changed messages to the store. */
  readonly save: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEventBody) => void;
  /** Counts the usage of a summary. */
  readonly count: (usage: TokenUsage, model: LanguageModel) => void;
}

/** The request that is too long, and its model. */
interface OversizedRequest {
  readonly model: LanguageModel;
  readonly request: ModelRequest;
}

/** Shortens the conversation of a run, and reports it as an event. */
export class ContextCompaction {
  readonly #options: ContextCompactionOptions;

  constructor(options: ContextCompactionOptions) {
    this.#options = options;
  }

  /**
   * Shortens a conversation whose request would be, or was, too long.
   * @returns Whether it is shorter now.
   * @throws the errors of the model calls for a summary; `RUN_LIMIT`; `RUN_FAILED` and `OPTION_INVALID` if
   *   `summarize` throws or returns no text.
   */
  async compact(turn: number, oversized: OversizedRequest): Promise<boolean> {
    const { transcript, window, save, onEvent, filesNote } = this.#options;
    const { model, request } = oversized;
    const { messages } = transcript;
    // `prepareTurn` may have replaced those of the request.
    await measureMessages(messages);
    // The parts of the request outside the conversation cannot be shortened.
    const otherTokens =
      estimateFixedPart(request) + estimateMessages(request.messages) - estimateMessages(messages);
    const roomTokens = window.limit(model, request.maxTokens) - otherTokens;
    // However short the conversation was, the request would be too long.
    if (roomTokens <= 0) return false;
    let usage = NO_USAGE;
    const compacted = await compact({
      messages,
      roomTokens,
      summarize: async (old) => {
        const summary = await this.#summarize(turn, oversized, old, (more) => {
          usage = addUsage(usage, more);
        });
        return [summary, filesNote()].filter((part) => part !== '').join('\n');
      },
    });
    if (compacted === undefined) return false;
    transcript.replace(compacted.messages);
    await save();
    onEvent({
      type: 'context-compacted',
      turn,
      tokensBefore: window.tokens(model, { ...request, messages }),
      tokensAfter: window.tokens(model, { ...request, messages: compacted.messages }),
      summary: compacted.summary,
      usage,
    });
    return true;
  }

  /**
   * The error for a request that is too long and cannot be shortened. It names the part that takes
   * the most tokens.
   */
  tooLong(cause: unknown, { model, request }: OversizedRequest): PtcError {
    const { window } = this.#options;
    const tokens = window.tokens(model, request);
    const last = request.messages.at(-1);
    const input = last?.content.filter(({ type }) => type !== 'tool-result') ?? [];
    const parts = [
      ['input', window.tokens(model, only([{ role: 'user', content: input as [] }], request))],
      ['results', window.tokens(model, only(last ? [last] : [], request))],
      ['instructions', window.tokens(model, { ...request, messages: [] })],
    ] as const;
    const [part, partTokens] = parts.find(([, some]) => some > tokens / 2) ?? WHOLE;
    return new PtcError(
      'MODEL_CONTEXT_EXCEEDED',
      `${messageOf(cause)} It cannot be shortened: ${REMEDIES[part](partTokens)}`,
      { cause, details: { ...(PtcError.isInstance(cause) && cause.details), part, tokens } },
    );
  }

  async #summarize(
    turn: number,
    { model, request: { maxTokens } }: OversizedRequest,
    old: readonly ModelMessage[],
    onUsage: (usage: TokenUsage) => void,
  ): Promise<string> {
    const { summarize, signal, window, calls, limits, count } = this.#options;
    if (summarize !== undefined) {
      const given: unknown = await callHook('summarize', signal, () => summarize(old, { signal }));
      if (typeof given === 'string' && given.trim() !== '') return given;
      throw invalidReturn('summarize', given, 'a text that is not blank');
    }
    const ask = async (system: string, text: string): Promise<string> => {
      limits.check();
      const messages = [{ role: 'user', content: [{ type: 'text', text }] }] as const;
      const request: ModelRequest = { system, messages, tools: [], maxTokens, signal };
      const call = { turn, model, request, onPart: () => {}, onVoid: () => {} };
      try {
        const { end, model: answering } = await calls.call(call);
        onUsage(end.usage);
        count(end.usage, answering);
        return end.content.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('');
      } catch (error) {
        if (isTooLong(error)) window.refused(model, request);
        throw error;
      }
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await summarizeByModel(old, { ask, limitTokens: window.limit(model, maxTokens) });
      } catch (error) {
        if (!isTooLong(error) || attempt >= MAX_SUMMARY_ATTEMPTS) throw error;
      }
    }
  }
}

const WHOLE = ['conversation', 0] as const;

const REMEDIES = {
  input: (tokens: number) =>
    `its last input takes about ${tokens} tokens. Use a shorter input; this one is not kept in the conversation.`,
  results: (tokens: number) =>
    `the last tool results take about ${tokens} tokens. Let tools and programs return less text.`,
  instructions: (tokens: number) =>
    `the instructions and the tools take about ${tokens} tokens. Use shorter instructions or fewer tools.`,
  conversation: () => CONTEXT_REMEDY,
};

function only(messages: readonly ModelMessage[], request: ModelRequest): ModelRequest {
  return { ...request, system: '', tools: [], messages };
}
