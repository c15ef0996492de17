import { startLauncher, type Launcher } from './bwrap-process.ts';
import type { ControlGroups } from './control-groups.ts';

/**
 * Starts launchers; where there are control groups, one ahead. To enter a group takes the kernel ten milliseconds and
 * more, for it waits until nothing on the machine is about to start a process.
 */
export class Launchers {
  readonly #nextUserId: () => number;
  #ready: Promise<Launcher> | undefined;
  #closed = false;

  /** @param nextUserId - Whom the next one runs as, where this process may choose. */
  constructor(nextUserId: () => number) {
    this.#nextUserId = nextUserId;
  }

  /**
   * Has one ready soon, where none is and it would otherwise take long.
   * @param inputCount - What `take` is probably asked for.
   */
  prepare(groups: ControlGroups | undefined, inputCount: number): void {
    if (this.#closed || groups === undefined || this.#ready !== undefined) return;
    this.#ready = this.#start(groups, inputCount);
    // Whoever wants one next tries again, and is told.
    this.#ready.catch(() => {});
  }

  /** @throws PtcError `SANDBOX_START_FAILED` */
  async take(groups: ControlGroups | undefined, inputCount: number): Promise<Launcher> {
    const ready = await this.#takeReady();
    if (ready?.isAlive() && ready.inputCount === inputCount) return ready;
    await ready?.end();
    return this.#start(groups, inputCount);
  }

  /** Ends the one that nobody took, and has none ready any more. */
  async close(): Promise<void> {
    this.#closed = true;
    const ready = await this.#takeReady();
    await ready?.end();
  }

  async #takeReady(): Promise<Launcher | undefined> {
    const ready = this.#ready;
    this.#ready = undefined;
    return ready?.catch(() => undefined);
  }

  async #start(groups: ControlGroups | undefined, inputCount: number): Promise<Launcher> {
    const group = await groups?.make();
    try {
      return await startLauncher(this.#nextUserId(), inputCount, group);
    } catch (error) {
      await group?.remove();
      throw error;
    }
  }
}
