import type { CallLog } from '../calls/call-log.ts';
import type { ToolUseBlock } from '../models/language-model.ts';
import { PtcError } from '../shared/errors.ts';
import type { ToolFailure } from '../protocol/messages.ts';
import { byTool, count, NONE, type Counts } from './calls/counts.ts';
import { ListedCalls } from './calls/listed-calls.ts';
import { oneLine, startOf } from './calls/start-of.ts';
import { EXECUTE_CODE } from './code/code-tool-definition.ts';
import { readProgramInput } from './long-programs/program-input.ts';

/** Longest text about the calls that ended last, in characters. */
const ENDED_LENGTH = 10_000;

/** Said of a call whose result never came. */
export const NOT_KNOWN = 'it is not known whether this was done';

/**
 * The line before the calls that a program did not wait for. They are the last part of its result.
 */
export const NOT_WAITED_FOR = '[The program did not wait for the end of these tool calls:]';

interface StartedCall {
  readonly callId: string;
  readonly toolName: string;
}

interface EndedCall {
  readonly callId: string;
  /** JSON text. */
  readonly result?: string | undefined;
  readonly error?: ToolFailure | undefined;
}

interface EndedLine {
  readonly toolName: string;
  readonly outcome: 'done' | 'failed';
  readonly line: string;
}

/**
 * The tool calls of one program. If the program is stopped, the model must know what was done, so
 * that it does not repeat it. A call is recorded when its tool may run; a call that is refused
 * before is not. The newest 100 calls with an unknown outcome are listed with their arguments;
 * older ones are counted for each tool. Finished and deferred calls are listed and counted in the same
 * way. So memory is bounded for any number of calls, and the text has at most 60,000 characters.
 */
export class CallRecord {
  /** Those with an unknown outcome. */
  readonly #open: ListedCalls = new ListedCalls();
  /** Those that wait for the end of the program. */
  readonly #deferred: ListedCalls = new ListedCalls();
  /** The calls that ended last, in the order in which they ended. */
  readonly #ended: EndedLine[] = [];
  #endedLength = 0;
  /** The outcomes of the calls that ended before those, by tool. */
  readonly #older: Map<string, Counts> = new Map();

  /** Whether it has no call. */
  get isEmpty(): boolean {
    return this.#open.size + this.#deferred.size + this.#ended.length === 0;
  }

  /** @param argumentsText - JSON text. */
  deferred({ callId, toolName }: StartedCall, argumentsText: string): void {
    this.#deferred.add(callId, { toolName, argumentsText });
  }

  /** @param argumentsText - JSON text. */
  started({ callId, toolName }: StartedCall, argumentsText: string): void {
    this.#deferred.take(callId);
    this.#open.add(callId, { toolName, argumentsText });
  }

  ended({ callId, result = '', error }: EndedCall): void {
    // The tool may still be running.
    if (error?.type === 'Timeout') return;
    const open = this.#open.take(callId);
    if (open === undefined) return;
    const { toolName } = open;
    const outcome = error === undefined ? 'done' : 'failed';
    const what = error === undefined ? result : `${error.type}: ${error.message}`;
    const call = `${toolName}(${open.argumentsText ?? '…'})`;
    this.#addEnded({ toolName, outcome, line: oneLine(`${call}: ${outcome}, ${startOf(what)}`) });
  }

  /** The outcomes of the calls, those with an unknown outcome last; empty if there is no call. */
  get text(): string {
    const older = byTool(this.#older).map(
      ([tool, { done, failed }]) => `${tool}, earlier calls: ${done} done, ${failed} failed`,
    );
    const ended = this.#ended.map(({ line }) => line);
    const deferred = this.#deferred.lines('deferred, and not made by then');
    return [...older, ...ended, ...deferred, ...this.#open.lines(NOT_KNOWN)].join('\n');
  }

  /** The lines for the calls with an unknown outcome; empty if there are none. */
  get openText(): string {
    return this.#open.lines(NOT_KNOWN).join('\n');
  }

  /** The lines for the calls that have not ended, while the program runs; empty if there are none. */
  get runningText(): string {
    const deferred = this.#deferred.lines('deferred until the program has ended');
    return [...deferred, ...this.#open.lines('not ended yet')].join('\n');
  }

  /** Returns a log that records each call here, and in another log if there is one. */
  logWith(log: CallLog | undefined): CallLog {
    return {
      deferred: async (call) => {
        await log?.deferred?.(call);
        this.deferred(call, call.argumentsText);
      },
      started: async (call) => {
        await log?.started(call);
        this.started(call, call.argumentsText);
      },
      ended: async (call, outcome) => {
        const { callId } = call;
        if (outcome.ok) this.ended({ callId, result: outcome.result.text });
        else this.ended({ callId, error: outcome.failure });
        await log?.ended(call, outcome);
      },
    };
  }

  #addEnded(ended: EndedLine): void {
    this.#ended.push(ended);
    this.#endedLength += ended.line.length + 1;
    while (this.#endedLength > ENDED_LENGTH) {
      const oldest = this.#ended.shift();
      if (oldest === undefined) return;
      const { toolName, outcome, line } = oldest;
      this.#endedLength -= line.length + 1;
      count(this.#older, toolName, { ...NONE, [outcome]: 1 });
    }
  }
}

type Use = Pick<ToolUseBlock, 'name' | 'input'>;

/**
 * The text for the model about one of its calls that has no answer.
 * @param why - Why it has none.
 * @param record - The tool calls that belong to it.
 */
export function unansweredCallText(use: Use, why: string, record: CallRecord): string {
  if (use.name === EXECUTE_CODE) return cutOffProgramText(use.input, why, record);
  return record.isEmpty ? `[${why} This call was not made.]` : `[${why}]\n${record.text}`;
}

/** The text for a reader about a call that a run in progress makes, here or in another process. */
export function runningCallText({ isEmpty, text }: CallRecord): string {
  return isEmpty
    ? '[This is still running.]'
    : `[This is still running. The tool calls so far:]\n${text}`;
}

/**
 * The text for a reader about the calls that a program, which still runs, made after its last
 * answer.
 */
export function laterCallsText(calls: string): string {
  return `[A program went on after its last answer. These tool calls of it are known:]\n${calls}`;
}

const STOPPED_LATER = '[A program went on after its last answer, and was then stopped.';

/**
 * The text for the model about a program that was stopped after its last answer, with its process.
 * @param calls - The lines about the calls that it is known to have made since; empty if there are
 *   none.
 */
export function stoppedLaterText(calls: string): string {
  return calls === ''
    ? `${STOPPED_LATER} It is not known which tool calls it made after that answer.]`
    : `${STOPPED_LATER} These tool calls of it are known, and there may have been others:]\n${calls}`;
}

/** Whether a text is of `stoppedLaterText`. A user can write such a text, too. */
export function isStoppedLaterText(text: string): boolean {
  return text.startsWith(STOPPED_LATER);
}

/**
 * The text for the model about a program that the host could not run to its end. The message of an
 * error of the host is not for the model of a later run: it can name files and addresses.
 */
export function failedProgramText(
  input: Use['input'],
  failure: unknown,
  record: CallRecord,
): string {
  const code = PtcError.isInstance(failure) ? ` (${failure.code})` : '';
  return cutOffProgramText(input, `The host could not run this program${code}.`, record);
}

/** The record of a call that goes on with a program lacks what the program did before that call. */
function cutOffProgramText(input: Use['input'], why: string, record: CallRecord): string {
  const read = input && readProgramInput(input);
  if (read === undefined || 'problem' in read) return stoppedProgramText(why, record);
  const notKnown = 'It is not known which tool calls the program had made';
  return record.isEmpty
    ? `[${why} ${notKnown} since its last answer.]`
    : `[${why} ${notKnown} between its last answer and this call. Those that it had made since:]\n${record.text}`;
}

/** The text for the model about a program whose outcome is unknown. */
export function stoppedProgramText(why: string, { text }: CallRecord): string {
  return text === ''
    ? `[${why} It had made no tool calls.]`
    : `[${why} The tool calls that it had made:]\n${text}`;
}

/**
 * The text for the model beside the result of a finished program; empty if the program waited for
 * all its calls.
 */
export function unawaitedCallsText({ openText }: CallRecord): string {
  return openText === '' ? '' : `${NOT_WAITED_FOR}\n${openText}`;
}
