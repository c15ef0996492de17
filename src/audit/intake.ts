import type { JsonObject } from '../shared/json/json.ts';
import type { AuditQueue } from './queue.ts';

/**
 * How long records are made in one turn of the event loop: a large one takes milliseconds, and
 * other work must continue.
 */
const TURN_MS = 5;

interface Waiting {
  /**
   * Makes the record; undefined for a caller that only waits until the records before it have been
   * made.
   */
  readonly make: (() => JsonObject) | undefined;
  readonly onTaken: () => void;
}

/**
 * Makes records of entries and adds them to the queue when it has room, in the order of the
 * entries, and not too many in one turn of the event loop. Until then, the entries wait.
 */
export class AuditIntake {
  readonly #queue: AuditQueue;
  readonly #onTaken: () => void;
  readonly #waiting: Set<Waiting> = new Set();
  /** Whether entries wait if there is no room for them. Otherwise they are dropped. */
  #holdsBack = true;
  /** When the first record of this turn was made. */
  #turnBegan: number | undefined;

  /** @param onTaken - Called when the queue has a new record. */
  constructor(queue: AuditQueue, onTaken: () => void) {
    this.#queue = queue;
    this.#onTaken = onTaken;
  }

  /** @param make - Called once, now or later. If it throws, the record counts as dropped. */
  give(make: () => JsonObject): void {
    this.#waiting.add({ make, onTaken: () => {} });
    this.takeWhatFits();
  }

  /**
   * Settles when all entries so far have been added or dropped; undefined if that is the case now.
   * Never rejects.
   */
  ready(): Promise<void> | undefined {
    if (this.#waiting.size === 0) return undefined;
    return new Promise((onTaken) => this.#waiting.add({ make: undefined, onTaken }));
  }

  /**
   * Sets whether entries wait from now on if there is no room for them. Otherwise they are dropped
   * and counted.
   */
  holdBack(holdsBack: boolean): void {
    this.#holdsBack = holdsBack;
    this.takeWhatFits();
  }

  /** Call this when the queue has room again. */
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
    // The record is not even made, because making it is most of the work.
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
