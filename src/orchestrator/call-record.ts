import type { CallLog } from '../execution/call-log.ts';
import type { ToolFailure } from '../protocol/messages.ts';
import { EXECUTE_CODE } from './code-tool-definition.ts';

/** How much of a call's arguments and of its result is kept, in characters. */
const KEPT_LENGTH = 500;

/** How much of a tool's name is kept, in characters. */
const KEPT_NAME_LENGTH = 100;

/** Of how many calls without a known end the arguments are kept: six times as many as a program has open by default. */
const KEPT_OPEN_CALLS = 100;

/** How much is said of those, in characters. */
const OPEN_LENGTH = 20_000;

/** How much is said of the calls that ended last, in characters. */
const ENDED_LENGTH = 10_000;

/** Of how many tools the calls are counted one by one. */
const COUNTED_TOOLS = 20;

/** What is said of a call whose result never came. */
export const NOT_KNOWN = 'it is not known whether this was done';

/** Stands above the calls that a program did not wait for. They are the last that its result says. */
export const NOT_WAITED_FOR = '[The program did not wait for the end of these tool calls:]';

interface BegunCall {
  readonly callId: string;
  readonly toolName: string;
}

interface EndedCall {
  readonly callId: string;
  /** As JSON text. */
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

/** Numbers of calls by what came of them. */
type Counts = Readonly<Record<EndedLine['outcome'] | 'open', number>>;

const NONE: Counts = { done: 0, failed: 0, open: 0 };

/**
 * The tool calls of one program: if it is cut off, the model has to know what was done, so that it does not do it twice.
 * A call is in it once its tool may run; one that is refused before is not. Of calls whose end is not known, the newest
 * 100 are named with their arguments, and the others counted by tool; so are the calls that ended, of which the newest
 * are named. Memory is bounded, however many calls a program makes, and its texts have at most 40,000 characters.
 */
export class CallRecord {
  /** By their ids, in the order in which they were made. */
  readonly #open: Map<string, OpenCall> = new Map();
  /** The tools of older calls without a known end, by the ids of the calls. A run's budget bounds how many there are. */
  readonly #olderOpen: Map<string, string> = new Map();
  /** The calls that ended last, in the order in which they did. */
  readonly #ended: EndedLine[] = [];
  #endedLength = 0;
  /** What the calls that ended before those came to, by tool. */
  readonly #older: Map<string, Counts> = new Map();

  /** Whether no tool was run. */
  get isEmpty(): boolean {
    return this.#open.size + this.#ended.length === 0;
  }

  /** @param argumentsText - As JSON text. */
  began({ callId, toolName }: BegunCall, argumentsText: string): void {
    const name = startOf(toolName, KEPT_NAME_LENGTH);
    this.#open.set(callId, { toolName: name, argumentsText: startOf(argumentsText) });
    const [oldest] = this.#open;
    if (oldest === undefined || this.#open.size <= KEPT_OPEN_CALLS) return;
    const [oldestId, call] = oldest;
    this.#open.delete(oldestId);
    this.#olderOpen.set(oldestId, call.toolName);
  }

  ended({ callId, result = '', error }: EndedCall): void {
    // Its tool may still be at work.
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

  /** What came of its calls, those whose end is not known last; empty if no tool was run. */
  get text(): string {
    const older = byTool(this.#older).map(
      ([tool, { done, failed }]) => `${tool}, earlier calls: ${done} done, ${failed} failed`,
    );
    const ended = this.#ended.map(({ line }) => line);
    return [...older, ...ended, ...this.#openLines].join('\n');
  }

  /** What is said of the calls whose end is not known; empty if there are none. */
  get openText(): string {
    return this.#openLines.join('\n');
  }

  /** A log that records each call here, and in another log if there is one. */
  logWith(log: CallLog | undefined): CallLog {
    return {
      began: async (call) => {
        await log?.began(call);
        this.began(call, call.argumentsText);
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
    // So that all of them have their place.
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

/** The counts of the first tools one by one, and those of all others as one. */
function byTool(counts: ReadonlyMap<string, Counts>): readonly (readonly [string, Counts])[] {
  const merged = new Map<string, Counts>();
  for (const [tool, more] of counts) {
    count(merged, merged.has(tool) || merged.size < COUNTED_TOOLS ? tool : 'other tools', more);
  }
  return [...merged];
}

/**
 * What the model is told of a call of its own that has no answer.
 * @param why - It has none.
 * @param record - The calls of tools for it.
 */
export function fateOf(name: string, why: string, record: CallRecord): string {
  if (name === EXECUTE_CODE) return programCutOff(why, record);
  return record.isEmpty ? `[${why} This call was not made.]` : `[${why}]\n${record.text}`;
}

/** What the model is told of a program whose end it does not hear of. */
export function programCutOff(why: string, { text }: CallRecord): string {
  return text === ''
    ? `[${why} It had made no tool calls.]`
    : `[${why} The tool calls that it had made:]\n${text}`;
}

/** What the model is told beside the result of a program that ended by itself; empty if it waited for all of its calls. */
export function notWaitedFor({ openText }: CallRecord): string {
  return openText === '' ? '' : `${NOT_WAITED_FOR}\n${openText}`;
}

/** What is kept of a long text. A copy, since a part of a string keeps the whole of it in memory. */
export function startOf(text: string, length: number = KEPT_LENGTH): string {
  const start = Buffer.from(text.slice(0, length)).toString();
  return text.length > length ? `${start}…` : start;
}

/** So that each line tells of one call. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}
