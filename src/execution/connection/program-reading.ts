import { inBackground } from '../../shared/async/background.ts';
import type { Transport } from '../../protocol/transport.ts';

/**
 * Whether a runner has read the program that it was sent. A runner that ends programs without
 * reading them would let them collect in this process.
 */
export class ProgramReading {
  readonly #transport: Transport;
  #isUnread = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get isUnread(): boolean {
    return this.#isUnread;
  }

  /** A program has been sent. */
  begin(): void {
    const { taken } = this.#transport;
    this.#isUnread = taken !== undefined;
    if (taken !== undefined) inBackground(taken.then(() => void (this.#isUnread = false)));
  }
}
