import type { CallLog } from '../calls/call-log.ts';
import type { ToolFailure } from '../protocol/messages.ts';
import { EXECUTE_CODE } from './code/code-tool-definition.ts';

/** How much of a call's arguments and of its result is kept, in characters. */
const KEPT_LENGTH = 500;

/** How much of a tool's name is kept, in characters. */
const KEPT_NAME_LENGTH = 100;

/**
 * For how many calls with an unknown outcome the arguments are kept: six times as many as a program
 * may have in progress by default.
 */
const KEPT_OPEN_CALLS = 100;

/** Longest text about these calls, in characters. */
const OPEN_LENGTH = 20_000;

/** Longest text about the calls that ended last, in characters. */
const ENDED_LENGTH = 10_000;

/** For how many tools the calls are counted separately. */
const COUNTED_TOOLS = 20;

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

interface OpenCall {
  readonly toolName: string;
  readonly argumentsText: string;
}

interface EndedLine {
  readonly toolName: string;
  readonly outcome: 'done' | 'failed';
  readonly line: string;
}

/** Numbers of calls by outcome. */
type Counts = Readonly<Record<EndedLine['outcome'] | 'open', number>>;

const NONE: Counts = { done: 0, failed: 0, open: 0 };

/**
 * The tool calls of one program. If the program is stopped, the model must know what was done, so
 * that it does not repeat it. A call is recorded when its tool may run; a call that is refused
 * before is not. The newest 100 calls with an unknown outcome are listed with their arguments;
 * older ones are counted for each tool. Finished calls are listed and counted in the same way. So
 * memory is bounded for any number of calls, and the text has at most 40,000 characters.
 */
export class CallRecord {
  /** By id, in the order in which they were made. */
  readonly #open: Map<string, OpenCall> = new Map();
  /**
   * The tool names of older calls with an unknown outcome, by call id. A run's budget limits their
   * number.
   */
  readonly #olderOpen: Map<string, string> = new Map();
  /** The calls that ended last, in the order in which they ended. */
  readonly #ended: EndedLine[] = [];
  #endedLength = 0;
  /** The outcomes of the calls that ended before those, by tool. */
  readonly #older: Map<string, Counts> = new Map();

  /** Whether no tool ran. */
  get isEmpty(): boolean {
    return this.#open.size + this.#ended.length === 0;
  }

  /** @param argumentsText - JSON text. */
  started({ callId, toolName }: StartedCall, argumentsText: string): void {
    const name = startOf(toolName, KEPT_NAME_LENGTH);
    this.#open.set(callId, { toolName: name, argumentsText: startOf(argumentsText) });
    const [oldest] = this.#open;
    if (oldest === undefined || this.#open.size <= KEPT_OPEN_CALLS) return;
    const [oldestId, call] = oldest;
    this.#open.delete(oldestId);
    this.#olderOpen.set(oldestId, call.toolName);
  }

  ended({ callId, result = '', error }: EndedCall): void {
    // The tool may still be running.
    if (error?.type === 'Timeout') return;
    const open = this.#open.get(callId);
    const toolName = open?.toolName ?? this.#olderOpen.get(callId);
    if (toolName === undefined) return;
    this.#open.delete(callId);
    this.#olderOpen.delete(callId);
    const outcome = error === undefined ? 'done' : 'failed';
    const what = error === undefined ? result : `${error.type}: ${error.message}`;
    const call = `${toolName}(${open?.argumentsText ?? '…'})`;
    this.#addEnded({ toolName, outcome, line: oneLine(`${call}: ${outcome}, ${startOf(what)}`) });
  }

  /** The outcomes of the calls, those with an unknown outcome last; empty if no tool ran. */
  get text(): string {
    const older = byTool(this.#older).map(
      ([tool, { done, failed }]) => `${tool}, earlier calls: ${done} done, ${failed} failed`,
    );
    const ended = this.#ended.map(({ line }) => line);
    return [...older, ...ended, ...this.#openLines].join('\n');
  }

  /** The lines for the calls with an unknown outcome; empty if there are none. */
  get openText(): string {
    return this.#openLines.join('\n');
  }

  /** Returns a log that records each call here, and in another log if there is one. */
  logWith(log: CallLog | undefined): CallLog {
    return {
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

  get #openLines(): readonly string[] {
    const older = new Map<string, Counts>();
    for (const tool of this.#olderOpen.values()) count(older, tool, { ...NONE, open: 1 });
    // Shares the space, so that each call has a line.
    const maxLength = Math.floor(OPEN_LENGTH / Math.max(1, this.#open.size));
    return [
      ...byTool(older).map(
        ([tool, { open }]) => `${tool}, ${open} more calls: of each, ${NOT_KNOWN}`,
      ),
      ...[...this.#open.values()].map(({ toolName, argumentsText }) => {
        const left = maxLength - `${toolName}(…): ${NOT_KNOWN}\n`.length;
        return oneLine(`${toolName}(${startOf(argumentsText, left)}): ${NOT_KNOWN}`);
      }),
    ];
  }
}

function count(counts: Map<string, Counts>, tool: string, more: Counts): void {
  const { done, failed, open } = counts.get(tool) ?? NONE;
  counts.set(tool, {
    done: done + more.done,
    failed: failed + more.failed,
    open: open + more.open,
  });
}

/** The counts of the first tools, and the sum of all others. */
function byTool(counts: ReadonlyMap<string, Counts>): readonly (readonly [string, Counts])[] {
  const merged = new Map<string, Counts>();
  for (const [tool, more] of counts) {
    count(merged, merged.has(tool) || merged.size < COUNTED_TOOLS ? tool : 'other tools', more);
  }
  return [...merged];
}

/**
 * The text for the model about one of its calls that has no answer.
 * @param why - Why it has none.
 * @param record - The tool calls that belong to it.
 */
export function unansweredCallText(name: string, why: string, record: CallRecord): string {
  if (name === EXECUTE_CODE) return stoppedProgramText(why, record);
  return record.isEmpty ? `[${why} This call was not made.]` : `[${why}]\n${record.text}`;
}

/** The text for a reader about a call that a run in progress makes, here or in another process. */
export function runningCallText({ isEmpty, text }: CallRecord): string {
  return isEmpty
    ? '[This is still running.]'
    : `[This is still running. The tool calls so far:]\n${text}`;
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

/** The start of a long text. It is copied, because a substring keeps the whole string in memory. */
export function startOf(text: string, length: number = KEPT_LENGTH): string {
  const start = Buffer.from(text.slice(0, length)).toString();
  return text.length > length ? `${start}…` : start;
}

/** Removes line breaks, so that each line is about one call. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}
