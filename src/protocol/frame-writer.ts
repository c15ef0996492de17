import type { Writable } from 'node:stream';

/** More is written before the turn ends: the runner can read it meanwhile. */
const HELD_BYTES = 8192;

/**
 * Writes frames to a runner. The first frame of a turn of the event loop is written at once, so that
 * the runner can go on. Those that follow are written together at the end of the turn, because each
 * write takes time and may wake the runner.
 */
export class FrameWriter {
  readonly #stdin: Writable;
  #hasWritten = false;
  #isHeld = false;

  constructor(stdin: Writable) {
    this.#stdin = stdin;
  }

  /** @param parts - The bytes of one frame. Call `endTurn` in the next turn of the event loop. */
  write(parts: readonly Uint8Array[]): void {
    if (this.#hasWritten || parts.length > 1) this.#hold();
    for (const part of parts) this.#stdin.write(part);
    if (!this.#hasWritten || this.#stdin.writableLength > HELD_BYTES) this.flush();
    this.#hasWritten = true;
  }

  endTurn(): void {
    this.#hasWritten = false;
    this.flush();
  }

  /** Writes what is held. */
  flush(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#stdin.uncork();
  }

  #hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#stdin.cork();
  }
}
