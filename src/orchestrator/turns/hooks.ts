import type {
  LanguageModel,
  ModelMessage,
  TokenUsage,
  ToolChoice,
} from '../../models/language-model.ts';
import { untilAborted } from '../../shared/abort.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { checkAnswerSettings } from '../answer-settings.ts';
import { readMessages } from '../conversation-document.ts';

/** What `prepareTurn` is told of the turn that comes. */
export interface TurnToPrepare {
  /** Turns of a run count from 1. */
  readonly turn: number;
  /** The conversation until here, as the model would get it. */
  readonly messages: readonly ModelMessage[];
  /** The names of the tools that the model would be offered, `execute_code` among them. */
  readonly tools: readonly string[];
  /** Whom it would be asked of. */
  readonly model: LanguageModel;
  /** Whether the model would have to call a tool. */
  readonly toolChoice: ToolChoice;
  /** What the run took until here. */
  readonly usage: TokenUsage;
  /** Fires if the run is to end. */
  readonly signal: AbortSignal;
}

/** What is to be different in one turn. All else, and the conversation itself, stay as they are. */
export interface PreparedTurn {
  /** What the model gets instead of the conversation. They end as the conversation does: with a request or with results. */
  readonly messages?: readonly ModelMessage[];
  /** The names of the tools that the model is offered, of those it would be offered; calls of others are not made. */
  readonly tools?: readonly string[];
  /** Who is asked. */
  readonly model?: LanguageModel;
  /** Whether the model calls a tool, of those that it is offered; `{ tool }` takes one of their names. */
  readonly toolChoice?: ToolChoice;
}

/** What `stopWhen` is told of a turn whose tools were run. */
export interface FinishedTurn {
  readonly turn: number;
  /** What the model said beside its calls. */
  readonly text: string;
  /** Tool calls of the run until here. */
  readonly toolCalls: number;
  /** What the run took until here. */
  readonly usage: TokenUsage;
  /** The conversation with the results of this turn. */
  readonly messages: readonly ModelMessage[];
}

/** Your functions that a run asks between its turns. */
export interface TurnHooks {
  /**
   * Called before each model call of a turn; what it returns is for this turn alone. One that throws ends the run with
   * `RUN_FAILED`. Called again if the conversation had to be made shorter.
   * @default nothing is different
   */
  readonly prepareTurn?: (
    turn: TurnToPrepare,
  ) => PreparedTurn | undefined | void | Promise<PreparedTurn | undefined | void>;
  /**
   * Called after each turn whose tools were run. If it returns true, the run ends there with what it has, and a later run
   * can go on. One that throws ends the run with `RUN_FAILED`. @default a run ends with the model's answer
   */
  readonly stopWhen?: (turn: FinishedTurn) => boolean | Promise<boolean>;
}

/** @throws PtcError `RUN_FAILED`, `OPTION_INVALID`, or `CONVERSATION_INVALID` for messages that cannot be sent. */
export async function prepareTurn(hooks: TurnHooks, turn: TurnToPrepare): Promise<PreparedTurn> {
  const { prepareTurn: prepare } = hooks;
  if (prepare === undefined) return {};
  const given: unknown = await callHook('prepareTurn', turn.signal, () => prepare(turn));
  return given === undefined ? {} : readPrepared(given, turn);
}

/** @throws PtcError `RUN_FAILED` or `OPTION_INVALID`. */
export async function isStopped(
  hooks: TurnHooks,
  turn: FinishedTurn,
  signal: AbortSignal,
): Promise<boolean> {
  const { stopWhen } = hooks;
  if (stopWhen === undefined) return false;
  const given: unknown = await callHook('stopWhen', signal, () => stopWhen(turn));
  if (typeof given === 'boolean') return given;
  throw invalid('stopWhen must return true or false', typeof given);
}

/**
 * Calls a function of the caller's, and waits for it or until the run is to end.
 * @throws PtcError `RUN_FAILED` with what it threw as the cause; the signal's reason.
 */
export async function callHook<Result>(
  name: string,
  signal: AbortSignal,
  call: () => Result | Promise<Result>,
): Promise<Result> {
  const pending = (async () => {
    try {
      return await call();
    } catch (cause) {
      throw new PtcError('RUN_FAILED', `${name} threw: ${messageOf(cause)}`, { cause });
    }
  })();
  await untilAborted(pending, signal);
  signal.throwIfAborted();
  return pending;
}

function readPrepared(given: unknown, turn: TurnToPrepare): PreparedTurn {
  try {
    if (typeof given !== 'object' || given === null) {
      throw invalid('prepareTurn must return an object', given === null ? 'null' : typeof given);
    }
    const { messages, tools, model, toolChoice } = given as Readonly<Record<string, unknown>>;
    return {
      ...(messages !== undefined && { messages: readTurnMessages(messages, turn) }),
      ...(tools !== undefined && { tools: readTools(tools, turn) }),
      ...(model !== undefined && { model: readModel(model) }),
      ...(toolChoice !== undefined && { toolChoice: readToolChoice(toolChoice) }),
    };
  } catch (error) {
    if (PtcError.isInstance(error)) throw error;
    throw invalid('prepareTurn must return an object that can be read', messageOf(error));
  }
}

function readTurnMessages(source: unknown, turn: TurnToPrepare): readonly ModelMessage[] {
  const messages = readMessages(source);
  const role = turn.messages.at(-1)?.role;
  if (messages.at(-1)?.role === role) return messages;
  throw invalid(`messages of prepareTurn must end with one of the ${role}`, messages.at(-1)?.role);
}

function readTools(source: unknown, { tools }: TurnToPrepare): readonly string[] {
  if (!Array.isArray(source)) throw invalid('tools of prepareTurn must be a list', typeof source);
  const names: readonly unknown[] = [...source];
  const wrong = names.find((name) => typeof name !== 'string' || !tools.includes(name));
  if (wrong === undefined) return names as readonly string[];
  throw invalid(`tools of prepareTurn must be among ${tools.join(', ')}`, wrong);
}

function readToolChoice(source: unknown): ToolChoice {
  const settings = { toolChoice: source as ToolChoice };
  checkAnswerSettings(settings);
  return settings.toolChoice;
}

function readModel(source: unknown): LanguageModel {
  const { id, stream } = Object(source) as Readonly<Record<string, unknown>>;
  if (typeof id === 'string' && typeof stream === 'function') return source as LanguageModel;
  throw invalid('model of prepareTurn must be a model, with id and stream', typeof source);
}

function invalid(what: string, given: unknown): PtcError {
  const shown = typeof given === 'string' ? given.slice(0, 200) : typeof given;
  return new PtcError('OPTION_INVALID', `${what}, not ${shown}.`);
}
