import { escapeJsonControls } from '../shared/json/json-escapes.ts';
import type { JsonObject } from '../shared/json/json.ts';

/**
 * The queue is full when the waiting records take this much as JSON. The last record may exceed it.
 */
export const QUEUE_LIMIT_BYTES: number = 8 * 2 ** 20;

/** Up to so many records that were taken stay in the list, or as many as wait. */
const MOST_TAKEN = 1000;

/** The size of a line's `seq`, `previous` and `hash`. */
const LINK_BYTES = 200;

export interface QueuedRecord {
  readonly fields: JsonObject;
  /** At least the size of its line. */
  readonly bytes: number;
}

/** Records in their order, up to the limit, and the number of dropped ones at their place. */
export class AuditQueue {
  /** Those before `#first` were taken. They are removed together: `shift` moves all records that wait. */
  readonly #records: (QueuedRecord | undefined)[] = [];
  #first = 0;
  readonly #limitBytes: number;
  readonly #describeDropped: (count: number) => JsonObject;
  #bytes = 0;
  #dropped = 0;

  /** @param describeDropped - Makes the record that says how many were dropped. */
  constructor(limitBytes: number, describeDropped: (count: number) => JsonObject) {
    this.#limitBytes = limitBytes;
    this.#describeDropped = describeDropped;
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  /** How many records would be lost if nothing could be written any more. */
  get length(): number {
    return this.#waiting + this.#dropped;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#limitBytes;
  }

  /** Adds a record, even if the queue is full. */
  add(fields: JsonObject): void {
    const record = measured(fields);
    this.#tellDropped();
    this.#push(record);
  }

  /**
   * Counts a record that is lost because there is no room for it or because it could not be made.
   */
  drop(): void {
    this.#dropped += 1;
  }

  peek(): QueuedRecord | undefined {
    if (this.#waiting === 0) this.#tellDropped();
    return this.#records[this.#first];
  }

  take(): QueuedRecord | undefined {
    const record = this.peek();
    if (record === undefined) return undefined;
    this.#records[this.#first] = undefined;
    this.#first += 1;
    if (this.#first >= MOST_TAKEN && this.#first >= this.#waiting) {
      this.#records.splice(0, this.#first);
      this.#first = 0;
    }
    this.#bytes -= record.bytes;
    return record;
  }

  get #waiting(): number {
    return this.#records.length - this.#first;
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return;
    const count = this.#dropped;
    this.#dropped = 0;
    this.#push(measured(this.#describeDropped(count)));
  }

  #push(record: QueuedRecord): void {
    this.#records.push(record);
    this.#bytes += record.bytes;
  }
}

function measured(fields: JsonObject): QueuedRecord {
  const json = escapeJsonControls(JSON.stringify(fields));
  return { fields, bytes: Buffer.byteLength(json) + LINK_BYTES };
}
