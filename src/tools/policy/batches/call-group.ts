import type { ApprovalEnd } from '../approval.ts';
import type { CallWaiter } from '../call-waiter.ts';
import { OpenBatch, type BatchMember, type BatchOptions } from './open-batch.ts';

/** A person cannot judge more calls at a time, and a page cannot show more. */
const MOST_CALLS = 1000;
/** The arguments of the calls of one batch, as they were sent: parsed, they can take 25 times as much. */
const MOST_BYTES = 1024 * 1024;
/**
 * How long calls wait for others, or for their program to wait, after the last one of them. A person takes
 * longer to decide, so nobody notices. A program that computes on, or a sandbox that never says that it
 * waits, must not keep its calls from being asked.
 */
const QUIET_MS = 3000;

export interface CallGroupOptions extends BatchOptions {
  /** Whether nothing in the program can go on before a call is answered or a timer fires. */
  readonly isWaiting: () => boolean;
}

/** A call that wants to be asked with others. */
export interface GroupedCall {
  readonly callId: string;
  /** The size of its arguments. */
  readonly sizeBytes: number;
}

interface Waiting {
  readonly sizeBytes: number;
  readonly settle: (hasPlace: boolean) => void;
}

/**
 * The calls of one program that are asked together: those that wait when the program waits. One batch
 * at a time is with the approver. What is called meanwhile, or is too much for it, is in the next one.
 */
export class CallGroup {
  readonly #options: CallGroupOptions;
  /** Calls that are being checked. Which of them ask is not known yet. */
  readonly #arriving: Set<string> = new Set();
  /** Those that ask, in order, and have no place in a batch yet. */
  readonly #waiting: Map<string, Waiting> = new Map();
  #waitingBytes = 0;
  #batch: OpenBatch | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CallGroupOptions) {
    this.#options = options;
  }

  /** A call was received. */
  arrive(callId: string): void {
    this.#arriving.add(callId);
  }

  /** It is known whether a call asks, or it has ended. */
  arrived(callId: string): void {
    if (this.#arriving.delete(callId)) this.check();
  }

  /** Opens a batch if its calls are there. Call it when the program begins to wait. */
  check(): void {
    const isFull = this.#waiting.size >= MOST_CALLS || this.#waitingBytes >= MOST_BYTES;
    const isComplete = this.#arriving.size === 0 && this.#options.isWaiting();
    if (isFull || isComplete) this.#open();
  }

  /**
   * Waits for a place in a batch. Returns undefined if the call has one. The promise resolves with
   * false if nothing waits for the call any more before.
   */
  take({ callId, sizeBytes }: GroupedCall, waiter: CallWaiter): Promise<boolean> | undefined {
    if (this.#batch?.has(callId) === true) return undefined;
    const place = new Promise<boolean>((resolve) => {
      const settle = (hasPlace: boolean): void => {
        stopListening();
        if (this.#waiting.delete(callId)) this.#waitingBytes -= sizeBytes;
        resolve(hasPlace);
      };
      const stopListening = waiter.onOver(() => settle(false));
      this.#waiting.set(callId, { sizeBytes, settle });
      this.#waitingBytes += sizeBytes;
      if (waiter.isOver) settle(false);
    });
    this.#gather();
    this.#arriving.delete(callId);
    this.check();
    return place;
  }

  /** Waits for the decision about a call that has a place. */
  async ask(member: BatchMember, waiter: CallWaiter): Promise<ApprovalEnd> {
    if (this.#batch === undefined) throw new Error('The call has no place in a batch.');
    return this.#batch.add(member, waiter);
  }

  /** The call needs its place no longer, if it has one. */
  release(callId: string): void {
    this.#batch?.leave(callId);
  }

  /** The program has ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Begins the time after which the calls are asked although the program does not wait. */
  #gather(): void {
    if (this.#batch !== undefined || this.#waiting.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), QUIET_MS);
  }

  #open(): void {
    if (this.#batch !== undefined || this.#waiting.size === 0) return;
    this.end();
    const taken = this.#next();
    this.#batch = new OpenBatch([...taken.keys()], this.#options, () => {
      this.#batch = undefined;
      this.#gather();
      this.check();
    });
    for (const { settle } of taken.values()) settle(true);
  }

  /** The calls of the next batch: at least one, however large it is. */
  #next(): ReadonlyMap<string, Waiting> {
    const taken = new Map<string, Waiting>();
    let bytes = 0;
    for (const [callId, waiting] of this.#waiting) {
      bytes += waiting.sizeBytes;
      if (taken.size > 0 && (taken.size >= MOST_CALLS || bytes > MOST_BYTES)) break;
      taken.set(callId, waiting);
    }
    return taken;
  }
}
