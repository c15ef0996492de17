import type { ToolFailure } from '../protocol/messages.ts';

/** How much of a call's arguments and of its result is kept, in characters. */
const KEPT_LENGTH = 500;

/** Of how many calls of a program something is kept. */
const KEPT_CALLS = 200;

/** What is said of a call whose result never came. */
export const NOT_KNOWN = 'it is not known whether this was done';

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

interface RecordedCall {
  readonly call: string;
  outcome: string;
}

/** The tool calls of one program: if it is cut off, the model has to know what was done, so that it does not do it twice. */
export class CallRecord {
  /** By their ids, in the order in which they were made. */
  readonly #calls: Map<string, RecordedCall> = new Map();
  #left = 0;

  /** @param argumentsText - As JSON text. */
  began({ callId, toolName }: BegunCall, argumentsText: string): void {
    if (this.#calls.size >= KEPT_CALLS) this.#left += 1;
    else {
      const call = `${toolName}(${startOf(argumentsText)})`;
      this.#calls.set(callId, { call, outcome: NOT_KNOWN });
    }
  }

  ended({ callId, result, error }: EndedCall): void {
    const recorded = this.#calls.get(callId);
    // Nobody waited for the end of a call that was cancelled.
    if (recorded === undefined || error?.type === 'Cancelled') return;
    recorded.outcome =
      error === undefined
        ? `done, ${startOf(result ?? '')}`
        : `failed, ${startOf(`${error.type}: ${error.message}`)}`;
  }

  /** A line for each call; empty if none was made. */
  get text(): string {
    const lines = [...this.#calls.values()].map(({ call, outcome }) => `${call}: ${outcome}`);
    if (this.#left > 0) lines.push(`and ${this.#left} more calls`);
    return lines.join('\n');
  }
}

/** What the model is told of a program whose end it does not hear of. */
export function programCutOff(why: string, { text }: CallRecord): string {
  return text === ''
    ? `[${why} It had made no tool calls.]`
    : `[${why} The tool calls that it had made:]\n${text}`;
}

/** What is kept of a long text. A copy, since a part of a string keeps the whole of it in memory. */
export function startOf(text: string): string {
  const start = Buffer.from(text.slice(0, KEPT_LENGTH)).toString();
  return text.length > KEPT_LENGTH ? `${start}…` : start;
}
