import { violation } from './violation.ts';

/**
 * How many bytes a runner may send after its program ended, before it can know that: a few of the
 * largest frames.
 */
const MAX_STALE_BYTES = 64 * 1024 * 1024;

/** The messages of a runner that belong to nothing that is under way. They are dropped. */
export class StaleMessages {
  #bytes = 0;

  /** A program begins. */
  reset(): void {
    this.#bytes = 0;
  }

  /** @throws PtcError `PROTOCOL_VIOLATION` if there are too many. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_STALE_BYTES)
      throw violation('it kept sending messages when no program was running');
  }
}
