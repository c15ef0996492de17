import type {
  AnswerSettings,
  LanguageModel,
  ModelRequest,
  ModelStreamEnd,
  ModelStreamPart,
  ModelTool,
  TokenUsage,
} from '../../models/language-model.ts';
import { untilAborted } from '../../shared/async/abort.ts';
import { answerSettings } from '../answer-settings.ts';
import type { EmitRunEvent, RunEvents } from '../events/run-event-emitter.ts';
import type { ContextWindow } from '../context/context-window.ts';
import { measureMessages } from '../context/message-tokens.ts';
import type { Transcript } from '../conversation/transcript.ts';
import { ContextCompaction, type SummarizeFunction } from './context-compaction.ts';
import { prepareTurn, type TurnHooks } from './hooks.ts';
import { isTooLong, ModelCalls, type CompletedCall, type ModelCall } from './model-calls.ts';
import type { RunLimits } from './run-limits.ts';

/**
 * How often a conversation is shortened for one answer: a request that a service refuses may be far
 * too long.
 */
const MAX_COMPACTIONS = 4;

/** Between turns, `{ tool }` takes the names that the model knows. */
const NO_OTHER_NAMES = { get: () => undefined };

/** The options for the model calls of a run. */
export interface TurnOptions extends TurnHooks {
  readonly model: LanguageModel;
  readonly fallbackModel?: LanguageModel;
  readonly maxRetries?: number;
  readonly summarize?: SummarizeFunction;
  /** Follows each summary: the files of the conversation. It is empty if there are none. */
  readonly filesNote: () => string;
  readonly system: string;
  readonly tools: readonly ModelTool[];
  /** The conversation. */
  readonly transcript: Transcript;
  /** What is known about the models' token limits. */
  readonly window: ContextWindow;
  readonly limits: RunLimits;
  readonly signal: AbortSignal;
  readonly onEvent: EmitRunEvent;
  /** As `RunEvents.taken`. */
  readonly taken: RunEvents['taken'];
  /** Writes the changed messages to the store. The run waits for it. */
  readonly save: () => Promise<void>;
  /** Called with the usage of each model call. */
  readonly onUsage: (usage: TokenUsage) => void;
}

/** The answer of one turn. */
export interface TurnAnswer {
  readonly end: ModelStreamEnd;
  /** The id of the model that wrote it. */
  readonly modelId: string;
  /** The names of the tools that the model was offered. */
  readonly offered: ReadonlySet<string>;
}

type CallOutcome =
  | CompletedCall
  | { readonly end: undefined; readonly refusal: unknown; readonly model: LanguageModel };

interface PreparedCall {
  readonly model: LanguageModel;
  readonly request: ModelRequest;
}

/**
 * The model calls of one run, turn by turn. Shortens the conversation if it comes close to the
 * model's limit, and retries failed calls if that can help.
 */
export class Turns {
  readonly #options: TurnOptions;
  readonly #calls: ModelCalls;
  readonly #compaction: ContextCompaction;

  constructor(options: TurnOptions) {
    const { fallbackModel, maxRetries = 2, signal, onEvent } = options;
    this.#options = options;
    this.#calls = new ModelCalls({ fallbackModel, maxRetries, signal, onEvent });
    this.#compaction = new ContextCompaction({
      ...options,
      calls: this.#calls,
      count: (usage, model) => this.#count(usage, model),
    });
  }

  /**
   * Asks for the answer of a turn.
   * @param settings - The settings of this answer.
   * @throws PtcError the model's errors, `MODEL_CONTEXT_EXCEEDED` if the conversation cannot be
   *   shortened enough, `RUN_LIMIT`, and the errors of the caller's functions; the signal's reason.
   */
  async ask(turn: number, settings: AnswerSettings): Promise<TurnAnswer> {
    const { window, limits, onEvent, signal } = this.#options;
    onEvent({ type: 'turn-started', turn });
    const taken = this.#options.taken();
    if (taken !== undefined) await untilAborted(taken, signal);
    for (let compactions = 0; ; compactions += 1) {
      limits.check();
      const prepared = await this.#prepare(turn, settings);
      const { model, request } = prepared;
      await untilAborted(measureMessages(request.messages), signal);
      signal.throwIfAborted();
      const mayCompact = compactions < MAX_COMPACTIONS;
      const isFull = mayCompact && window.isFull(model, request);
      if (isFull && (await this.#compaction.compact(turn, prepared))) continue;
      const listener = this.#listener(turn);
      const outcome = await this.#call({ turn, model, request, ...listener });
      const { end } = outcome;
      if (end !== undefined && end.stopReason !== 'context-window-exceeded') {
        window.counted(outcome.model, request, end.usage.inputTokens);
        return this.#answered(turn, prepared, outcome);
      }
      window.refused(outcome.model, request);
      const asked = { ...prepared, model: outcome.model };
      if (!mayCompact || !(await this.#compaction.compact(turn, asked))) {
        if (end !== undefined) return this.#answered(turn, prepared, outcome);
        throw this.#compaction.tooLong(outcome.refusal, asked);
      }
      if (end !== undefined) this.#count(end.usage, outcome.model);
      listener.onVoid();
    }
  }

  /** Returns the answer, or the refusal of a request that is too long. */
  async #call(call: ModelCall): Promise<CallOutcome> {
    try {
      return await this.#calls.call(call);
    } catch (refusal) {
      if (!isTooLong(refusal)) throw refusal;
      return { end: undefined, refusal, model: this.#calls.modelFor(call.model) };
    }
  }

  async #prepare(turn: number, settings: AnswerSettings): Promise<PreparedCall> {
    const { transcript, system, signal, limits } = this.#options;
    const names = this.#options.tools.map(({ name }) => name);
    const prepared = await prepareTurn(this.#options, {
      turn,
      messages: transcript.messages,
      tools: names,
      model: this.#calls.modelFor(this.#options.model),
      toolChoice: settings.toolChoice ?? 'auto',
      usage: limits.usage,
      signal,
    });
    const { messages = transcript.messages, tools: offered = names } = prepared;
    const tools = this.#options.tools.filter(({ name }) => offered.includes(name));
    const model = this.#calls.modelFor(prepared.model ?? this.#options.model);
    const { toolChoice = settings.toolChoice } = prepared;
    const chosen = { ...settings, ...(toolChoice !== undefined && { toolChoice }) };
    const answer = answerSettings(chosen, tools, NO_OTHER_NAMES);
    return { model, request: { system, messages, tools, ...answer, signal } };
  }

  #answered(turn: number, { request }: PreparedCall, { end, model }: CompletedCall): TurnAnswer {
    const { stopReason, usage } = end;
    this.#options.onEvent({ type: 'turn-ended', turn, stopReason, usage });
    this.#count(usage, model);
    return { end, modelId: model.id, offered: new Set(request.tools.map(({ name }) => name)) };
  }

  /** Reports the parts of an answer as events, and reports if they are void. */
  #listener(turn: number): {
    readonly onPart: (part: Exclude<ModelStreamPart, ModelStreamEnd>) => void;
    readonly onVoid: () => void;
  } {
    const { transcript, onEvent } = this.#options;
    const toolNames = new Map<string, string>();
    let hasSentParts = false;
    return {
      onPart: (part) => {
        hasSentParts ||= part.type !== 'tool-use-started';
        if (part.type === 'text-delta') transcript.addPartialText(part.text);
        if (part.type === 'text-delta' || part.type === 'thinking-delta') onEvent(part);
        else if (part.type === 'tool-use-started') toolNames.set(part.id, part.name);
        else {
          const toolName = toolNames.get(part.id) ?? '';
          onEvent({ type: 'tool-input-delta', toolUseId: part.id, toolName, json: part.json });
        }
      },
      onVoid: () => {
        transcript.discardPartialText();
        toolNames.clear();
        if (hasSentParts) onEvent({ type: 'answer-discarded', turn });
        hasSentParts = false;
      },
    };
  }

  #count(usage: TokenUsage, model: LanguageModel): void {
    this.#options.onUsage(usage);
    this.#options.limits.count(usage, model.id);
  }
}
