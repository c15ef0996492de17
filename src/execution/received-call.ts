import { LARGE_WORK, ownTurn, timeInTurn } from '../shared/turn-work.ts';
import type { JsonObject } from '../shared/json.ts';
import { decodeLine, type CallLimits } from '../protocol/frames.ts';
import type { ToolCallMessage } from '../protocol/messages.ts';

/** Most calls are shorter. */
const SHORT_CALL_BYTES = 2048;

/**
 * A tool call of a program, from its arrival to its end. While it waits it keeps the bytes of its frame and not its
 * arguments: parsed, these may take 25 times the memory, and a program decides how many calls wait.
 */
export class ReceivedCall {
  readonly caller = 'code';
  readonly callId: string;
  readonly toolName: string;
  /** Why its arguments, empty then, are not taken. */
  readonly refusal: string | undefined;
  /** On the monotonic clock. */
  readonly receivedAt: number = performance.now();
  readonly #limits: CallLimits;
  /** Its frame, which was found right when it was read. */
  #line: Buffer;
  #arguments: JsonObject | undefined;

  /** @param limits - Those by which its frame was read. */
  constructor(message: ToolCallMessage, line: Buffer, limits: CallLimits) {
    this.callId = message.call_id;
    this.toolName = message.tool_name;
    this.refusal = message.refusal;
    this.#arguments = message.arguments;
    this.#line = line;
    this.#limits = limits;
  }

  /** Parsed each time while they are packed. */
  get arguments(): JsonObject {
    return this.#arguments ?? this.#parse();
  }

  get isPacked(): boolean {
    return this.#arguments === undefined;
  }

  get isShort(): boolean {
    return this.#line.length <= SHORT_CALL_BYTES;
  }

  /** Lets go of the arguments until `unpack`: it has to wait. */
  pack(): void {
    if (this.isPacked) return;
    // A copy, since the frame may be a small part of what was read at once.
    this.#line = Buffer.from(this.#line);
    this.#arguments = undefined;
  }

  /**
   * Undefined if its arguments may be checked at once; else settles in a turn of the event loop that has time for that.
   * A large call is parsed in one turn and checked in a later one, so that neither holds the loop for long.
   */
  unpack(): Promise<void> | undefined {
    const isLarge = this.#line.length > LARGE_WORK;
    return isLarge || this.isPacked ? this.#unpackInTurn(isLarge) : undefined;
  }

  async #unpackInTurn(isLarge: boolean): Promise<void> {
    if (this.isPacked) {
      await (isLarge ? ownTurn() : timeInTurn());
      this.#arguments = this.#parse();
    }
    if (isLarge) await ownTurn();
  }

  #parse(): JsonObject {
    const message = decodeLine(this.#line, 'stderr', this.#limits);
    return message.kind === 'tool-call' ? message.arguments : {};
  }
}
