import { PtcError } from '../../shared/errors.ts';
import type { WaitingMessage } from '../../protocol/call-messages.ts';

/**
 * How long a program must be quiet before it counts as waiting, if its runner cannot be certain. A
 * command that a shell starts takes a few milliseconds until its call is here.
 */
const QUIET_MS = 20;

/** A runner says at most twice that its program waits for each thing that changes that. */
const MESSAGES_PER_CHANGE = 2;

/**
 * Whether a program waits: nothing in it can go on before a call is answered or a timer fires. What a
 * runner says about that may be a lie, and only decides when `next` reports the open calls, and which calls an
 * approver decides together.
 */
export class ProgramWait {
  readonly #listeners: (() => void)[] = [];
  #isWaiting = false;
  #quiet: NodeJS.Timeout | undefined;
  #isOver = false;
  /** Results sent to the program. */
  #results = 0;
  /** Calls made or given up, and results sent. */
  #changes = 0;
  #messages = 0;

  /** @param onWait - Called each time that the program begins to wait. */
  listen(onWait: () => void): void {
    this.#listeners.push(onWait);
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** The program has made a call or given one up, so it ran. */
  ran(): void {
    this.#changes += 1;
    this.#goesOn();
  }

  /** A result was sent, so the program goes on as soon as it gets it. */
  answered(): void {
    this.#results += 1;
    this.ran();
  }

  /** @throws PtcError `PROTOCOL_VIOLATION` */
  receive({ results, certain }: WaitingMessage): void {
    this.#messages += 1;
    if (results > this.#results) {
      throw violation('received results that were not sent');
    }
    if (this.#messages > MESSAGES_PER_CHANGE * (this.#changes + 1)) {
      throw violation('waits, more often than anything changed');
    }
    // Otherwise a result is on its way, and the runner says again that the program waits.
    if (this.#isOver || results !== this.#results) return;
    if (certain) this.#waits();
    else this.#quiet ??= setTimeout(() => this.#waits(), QUIET_MS);
  }

  /** The program has ended or is being stopped. */
  end(): void {
    this.#isOver = true;
    this.#goesOn();
  }

  #goesOn(): void {
    this.#isWaiting = false;
    clearTimeout(this.#quiet);
    this.#quiet = undefined;
  }

  #waits(): void {
    if (this.#isWaiting) return;
    this.#goesOn();
    this.#isWaiting = true;
    for (const onWait of this.#listeners) onWait();
  }
}

function violation(what: string): PtcError {
  return new PtcError('PROTOCOL_VIOLATION', `The sandbox said that its program ${what}.`);
}
