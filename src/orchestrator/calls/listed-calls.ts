import { byTool, count, NONE, type Counts } from './counts.ts';
import { oneLine, startOf } from './start-of.ts';

/** How much of a tool's name is kept, in characters. */
const KEPT_NAME_LENGTH = 100;

/**
 * For how many calls the arguments are kept: six times as many as a program may have in progress by
 * default.
 */
const KEPT_CALLS = 100;

/** Longest text about these calls, in characters. */
const LONGEST_TEXT = 20_000;

interface ListedCall {
  readonly toolName: string;
  /** JSON text. */
  readonly argumentsText: string;
}

/** Calls of one program, of which the newest are known with their arguments. */
export class ListedCalls {
  /** By id, in the order in which they were added. */
  readonly #calls: Map<string, ListedCall> = new Map();
  /** The tool names of older ones, by call id. A run's budget limits their number. */
  readonly #older: Map<string, string> = new Map();

  /** How many are known with their arguments. */
  get size(): number {
    return this.#calls.size;
  }

  add(callId: string, { toolName, argumentsText }: ListedCall): void {
    const name = startOf(toolName, KEPT_NAME_LENGTH);
    this.#calls.set(callId, { toolName: name, argumentsText: startOf(argumentsText) });
    const [oldest] = this.#calls;
    if (oldest === undefined || this.#calls.size <= KEPT_CALLS) return;
    const [oldestId, call] = oldest;
    this.#calls.delete(oldestId);
    this.#older.set(oldestId, call.toolName);
  }

  /** Removes a call and returns what is known of it; undefined if it is not here. */
  take(callId: string): (Partial<ListedCall> & Pick<ListedCall, 'toolName'>) | undefined {
    const call = this.#calls.get(callId);
    const toolName = call?.toolName ?? this.#older.get(callId);
    this.#calls.delete(callId);
    this.#older.delete(callId);
    return toolName === undefined ? undefined : { ...call, toolName };
  }

  /** @param said - What is said of each. */
  lines(said: string): readonly string[] {
    const older = new Map<string, Counts>();
    for (const tool of this.#older.values()) count(older, tool, { ...NONE, open: 1 });
    // Shares the space, so that each call has a line.
    const maxLength = Math.floor(LONGEST_TEXT / Math.max(1, this.#calls.size));
    return [
      ...byTool(older).map(([tool, { open }]) => `${tool}, ${open} more calls: of each, ${said}`),
      ...[...this.#calls.values()].map(({ toolName, argumentsText }) => {
        const left = maxLength - `${toolName}(…): ${said}\n`.length;
        return oneLine(`${toolName}(${startOf(argumentsText, left)}): ${said}`);
      }),
    ];
  }
}
