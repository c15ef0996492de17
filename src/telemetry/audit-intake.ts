import type { JsonObject } from '../shared/json.ts';
import type { AuditQueue } from './audit-queue.ts';

/** How far into a turn of the event loop records are made: a large one takes milliseconds, and others want to go on. */
const TURN_MS = 5;

interface Waiting {
  /** Makes the record; undefined for whoever only wants to know that those before it have been taken. */
  readonly make: (() => JsonObject) | undefined;
  readonly onTaken: () => void;
}

/**
 * The way into the queue. Records are made when the queue has room, in the order in which they were given, and not
 * too many in one turn of the event loop. Until then what they are made of waits.
 */
export class AuditIntake {
  readonly #queue: AuditQueue;
  readonly #onTaken: () => void;
  readonly #waiting: Set<Waiting> = new Set();
  /** Whether entries wait if there is no room for them; if not, they are dropped. */
  #holdsBack = true;
  /** When the first record of this turn was made. */
  #turnBegan: number | undefined;

  /** @param onTaken - Hears that the queue has something new. */
  constructor(queue: AuditQueue, onTaken: () => void) {
    this.#queue = queue;
    this.#onTaken = onTaken;
  }

  /** @param make - Called once, now or later. If it throws, a record counts as dropped. */
  give(make: () => JsonObject): void {
    this.#waiting.add({ make, onTaken: () => {} });
    this.takeWhatFits();
  }

  /** Settles when all that was given has been taken or dropped; undefined if that is so now. Never rejects. */
  ready(): Promise<void> | undefined {
    if (this.#waiting.size === 0) return undefined;
    return new Promise((onTaken) => this.#waiting.add({ make: undefined, onTaken }));
  }

  /** Sets whether entries wait from now on if there is no room for them; if not, they are dropped and counted. */
  holdBack(holdsBack: boolean): void {
    this.#holdsBack = holdsBack;
    this.takeWhatFits();
  }

  /** To be called when the queue has room again. */
  takeWhatFits(): void {
    for (const waiting of this.#waiting) {
      if (this.#isTurnOver()) return;
      if (this.#queue.isFull && this.#holdsBack) return;
      this.#waiting.delete(waiting);
      if (waiting.make !== undefined) this.#take(waiting.make);
      waiting.onTaken();
    }
  }

  #isTurnOver(): boolean {
    return this.#turnBegan !== undefined && performance.now() - this.#turnBegan > TURN_MS;
  }

  #take(make: () => JsonObject): void {
    this.#beginTurn();
    // Not even made, for that is the work of it.
    if (this.#queue.isFull) this.#queue.drop();
    else {
      try {
        this.#queue.add(make());
      } catch {
        this.#queue.drop();
      }
    }
    this.#onTaken();
  }

  #beginTurn(): void {
    if (this.#turnBegan !== undefined) return;
    this.#turnBegan = performance.now();
    setImmediate(() => {
      this.#turnBegan = undefined;
      this.takeWhatFits();
    });
  }
}
