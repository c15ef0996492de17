import { packet, WINDOW_BYTES } from './packets.ts';

/** What was sent to a sidecar, until the runner has taken it. */
export class UnconfirmedInput {
  /** Packets, and where in the input each of them ends. */
  readonly #packets: { readonly end: number; readonly bytes: Buffer }[] = [];
  #end = 0;
  #taken = 0;

  /** Whether nothing more may be sent now. */
  get isFull(): boolean {
    return this.#end - this.#taken >= WINDOW_BYTES;
  }

  /** Keeps the next bytes of input, and returns their packet. */
  add(body: Buffer): Buffer {
    this.#end += body.length;
    const bytes = packet('D', body);
    this.#packets.push({ end: this.#end, bytes });
    return bytes;
  }

  /**
   * The runner has taken this many bytes.
   * @returns false if it cannot have.
   */
  confirm(taken: number): boolean {
    if (taken > this.#end || taken < this.#taken) return false;
    this.#taken = taken;
    const kept = this.#packets.findIndex(({ end }) => end > taken);
    this.#packets.splice(0, kept === -1 ? this.#packets.length : kept);
    return true;
  }

  /** The packets that the sidecar does not have, which are sent once more. */
  *after(received: number): Generator<Buffer> {
    for (const { end, bytes } of this.#packets) if (end > received) yield bytes;
  }
}
