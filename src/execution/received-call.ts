import {
  isLoopTurnSpent,
  LARGE_WORK,
  ownLoopTurn,
  timeInLoopTurn,
} from '../shared/async/event-loop-work.ts';
import type { Group } from '../shared/async/fair-queue.ts';
import type { JsonObject } from '../shared/json/json.ts';
import { decodeLine, type CallLimits } from '../protocol/frames.ts';
import type { ToolCallMessage } from '../protocol/call-messages.ts';

/**
 * A tool call of a program, from its arrival to its end. While it waits, it keeps the bytes of its
 * frame instead of its arguments: parsed, they can take 25 times as much memory, and a program
 * decides how many calls wait.
 */
export class ReceivedCall {
  readonly caller = 'code';
  readonly callId: string;
  readonly toolName: string;
  /** Its place among the calls of its program: from 1, in the order in which they arrived. */
  readonly place: number;
  /** The line of the program, if it was told. */
  readonly line: number | undefined;
  /** Why the arguments were refused. They are empty then. */
  readonly refusal: string | undefined;
  /** On the monotonic clock, in milliseconds. */
  readonly receivedAt: number = performance.now();
  readonly #limits: CallLimits;
  readonly #tenant: Group;
  /** The frame, which was valid when it was read. */
  #frame: Buffer;
  #arguments: JsonObject | undefined;

  /**
   * @param place - As in this class.
   * @param limits - The limits with which the frame was read.
   * @param tenant - Tenants whose calls wait for the event loop have their turns one after another.
   */
  constructor(
    message: ToolCallMessage,
    frame: Buffer,
    place: number,
    limits: CallLimits,
    tenant?: Group,
  ) {
    this.place = place;
    this.callId = message.call_id;
    this.toolName = message.tool_name;
    this.line = message.line;
    this.refusal = message.refusal;
    this.#arguments = message.arguments;
    this.#frame = frame;
    this.#limits = limits;
    this.#tenant = tenant;
  }

  /** Parsed at each read while the call is packed. */
  get arguments(): JsonObject {
    return this.#arguments ?? this.#parse();
  }

  /** The size of the frame, which is little more than that of the arguments. */
  get sizeBytes(): number {
    return this.#frame.length;
  }

  get isPacked(): boolean {
    return this.#arguments === undefined;
  }

  /** Drops the parsed arguments until `unpack`, because the call has to wait. */
  pack(): void {
    if (this.isPacked) return;
    // A copy, because the frame may be a small part of a large buffer.
    this.#frame = Buffer.from(this.#frame);
    this.#arguments = undefined;
  }

  /**
   * Returns undefined if the arguments can be checked at once. Otherwise, returns a promise that
   * settles in a turn of the event loop that has time for that. A large call is parsed in one turn
   * and checked in a later one, so that neither blocks the loop for long.
   */
  unpack(): Promise<void> | undefined {
    const isLarge = this.#frame.length > LARGE_WORK;
    if (isLarge) return this.#unpackInTurn(isLarge);
    // Most small calls take some microseconds to check. They wait only if others took long.
    if (!this.isPacked && !isLoopTurnSpent()) return undefined;
    this.pack();
    return this.#unpackInTurn(isLarge);
  }

  async #unpackInTurn(isLarge: boolean): Promise<void> {
    if (this.isPacked) {
      await (isLarge ? ownLoopTurn(this.#tenant) : timeInLoopTurn(this.#tenant));
      this.#arguments = this.#parse();
    }
    if (isLarge) await ownLoopTurn(this.#tenant);
  }

  #parse(): JsonObject {
    const message = decodeLine(this.#frame, 'stderr', this.#limits);
    return message.kind === 'tool-call' ? message.arguments : {};
  }
}
