import type {
  LanguageModel,
  ModelMessage,
  TokenUsage,
  ToolChoice,
} from '../../models/language-model.ts';
import { untilAborted } from '../../shared/async/abort.ts';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { invalidOption, invalidReturn } from '../../shared/options/option-values.ts';
import { checkAnswerSettings } from '../answer-settings.ts';
import { readMessages } from '../conversation/conversation-document.ts';

/** What `prepareTurn` gets about the next turn. */
export interface TurnToPrepare {
  /** The number of the turn in its run, from 1. */
  readonly turn: number;
  /** The conversation so far, as the model would get it. */
  readonly messages: readonly ModelMessage[];
  /** The names of the tools that the model would be offered, including `execute_code`. */
  readonly tools: readonly string[];
  /** The model that would be asked. */
  readonly model: LanguageModel;
  /** Whether the model would have to call a tool. */
  readonly toolChoice: ToolChoice;
  /** The usage of the run so far. */
  readonly usage: TokenUsage;
  /** Fires if the run ends. */
  readonly signal: AbortSignal;
}

/** Changes for one turn. Everything else, and the conversation itself, stay the same. */
export interface PreparedTurn {
  /**
   * The messages for the model instead of the conversation. They must end like the conversation:
   * with a request or with results.
   */
  readonly messages?: readonly ModelMessage[];
  /**
   * The names of the tools that the model is offered, a subset of `TurnToPrepare.tools`. Calls of
   * other tools are not made.
   */
  readonly tools?: readonly string[];
  /** The model to ask. */
  readonly model?: LanguageModel;
  /** Whether the model calls a tool that it is offered. `{ tool }` takes one of their names. */
  readonly toolChoice?: ToolChoice;
}

export const PREPARED_TURN: OptionsObject<PreparedTurn> = {
  of: 'prepareTurn',
  names: { messages: true, tools: true, model: true, toolChoice: true },
  page: 'docs/conversations.md',
};

/** What `stopWhen` gets about a turn whose tools have run. */
export interface FinishedTurn {
  readonly turn: number;
  /** The text of the model beside its calls. */
  readonly text: string;
  /** The number of tool calls of the run so far. */
  readonly toolCalls: number;
  /** The usage of the run so far. */
  readonly usage: TokenUsage;
  /** The conversation with the results of this turn. */
  readonly messages: readonly ModelMessage[];
}

/** Your functions that a run calls between its turns. */
export interface TurnHooks {
  /**
   * Called before each model call of a turn, again if the conversation had to be shortened. The
   * returned changes apply to this turn only. If it throws, the run ends with `RUN_FAILED`.
   * @default no changes
   */
  readonly prepareTurn?: (
    turn: TurnToPrepare,
  ) => PreparedTurn | undefined | void | Promise<PreparedTurn | undefined | void>;
  /**
   * Called after each turn whose tools have run. If it returns true, the run ends with what it has,
   * and a later run can continue. If it throws, the run ends with `RUN_FAILED`.
   * @default a run ends with the model's answer
   */
  readonly stopWhen?: (turn: FinishedTurn) => boolean | Promise<boolean>;
}

/**
 * @throws PtcError `RUN_FAILED`, `OPTION_INVALID`, or `CONVERSATION_INVALID` for messages that
 *   cannot be sent.
 */
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
  throw invalidReturn('stopWhen', given, 'true or false');
}

/**
 * Calls a function of the caller, and waits for it until the signal fires.
 * @throws PtcError `RUN_FAILED` with the function's error as its cause; the signal's reason.
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
      throw invalidReturn('prepareTurn', given, 'an object');
    }
    checkOptionNames(given, PREPARED_TURN);
    const { messages, tools, model, toolChoice } = given as Readonly<Record<string, unknown>>;
    return {
      ...(messages !== undefined && { messages: readTurnMessages(messages, turn) }),
      ...(tools !== undefined && { tools: readTools(tools, turn) }),
      ...(model !== undefined && { model: readModel(model) }),
      ...(toolChoice !== undefined && { toolChoice: readToolChoice(toolChoice) }),
    };
  } catch (error) {
    if (PtcError.isInstance(error)) throw error;
    const message = `The result of prepareTurn cannot be read: ${messageOf(error)}.`;
    throw new PtcError('OPTION_INVALID', message, { cause: error });
  }
}

function readTurnMessages(source: unknown, turn: TurnToPrepare): readonly ModelMessage[] {
  const messages = readMessages(source);
  const role = turn.messages.at(-1)?.role;
  if (messages.at(-1)?.role === role) return messages;
  const last = 'The role of the last message of prepareTurn';
  throw invalidOption(last, messages.at(-1)?.role, JSON.stringify(role));
}

function readTools(source: unknown, { tools }: TurnToPrepare): readonly string[] {
  if (!Array.isArray(source)) throw invalidOption('tools of prepareTurn', source, 'a list');
  const names: readonly unknown[] = [...source];
  const wrong = names.find((name) => typeof name !== 'string' || !tools.includes(name));
  if (wrong === undefined) return names as readonly string[];
  throw invalidOption('tools of prepareTurn', wrong, `names from the list ${tools.join(', ')}`);
}

function readToolChoice(source: unknown): ToolChoice {
  const settings = { toolChoice: source as ToolChoice };
  checkAnswerSettings(settings);
  return settings.toolChoice;
}

function readModel(source: unknown): LanguageModel {
  const { id, stream } = Object(source) as Readonly<Record<string, unknown>>;
  if (typeof id === 'string' && typeof stream === 'function') return source as LanguageModel;
  throw invalidOption('model of prepareTurn', source, 'a model, with id and stream');
}
