import { inBackground } from '../../shared/background.ts';
import { isDeepStrictEqual } from 'node:util';
import { startLauncher, type Launcher, type LauncherPurpose } from './bwrap-process.ts';
import type { ControlGroups } from './control-groups.ts';
import type { Spawner } from './spawner.ts';

/** Those that have a launcher ready, which would leave its group behind if it ended with the process only. */
const waiting = new Set<Launchers>();

function endAll(): void {
  for (const launchers of waiting) inBackground(launchers.endReady());
}

/**
 * Starts launchers, one ahead. What they do before they become sandboxes is a tenth of a start, and where there are
 * control groups more: to enter one takes the kernel ten milliseconds and more, for it waits until nothing on the
 * machine is about to start a process.
 */
export class Launchers {
  readonly #spawner: Spawner;
  readonly #nextUserId: () => number;
  #ready: Promise<Launcher> | undefined;
  #closed = false;

  /** @param nextUserId - Whom the next one runs as, where this process may choose. */
  constructor(spawner: Spawner, nextUserId: () => number) {
    this.#spawner = spawner;
    this.#nextUserId = nextUserId;
  }

  /** Has one ready soon, where none is. @param purpose - What `take` is probably asked for. */
  prepare(groups: ControlGroups | undefined, purpose: LauncherPurpose): void {
    if (this.#closed || this.#ready !== undefined) return;
    this.#ready = this.#start(groups, purpose);
    if (waiting.size === 0) process.on('beforeExit', endAll);
    waiting.add(this);
    // Whoever wants one next tries again, and is told.
    this.#ready.catch(() => {});
  }

  /** @throws PtcError `SANDBOX_START_FAILED` */
  async take(groups: ControlGroups | undefined, purpose: LauncherPurpose): Promise<Launcher> {
    const ready = await this.#takeReady();
    if (ready?.isAlive() && isDeepStrictEqual(ready.purpose, purpose)) return ready;
    const [launcher] = await Promise.all([this.#start(groups, purpose), ready?.end()]);
    return launcher;
  }

  /** Ends the one that nobody took. */
  async endReady(): Promise<void> {
    const ready = await this.#takeReady();
    await ready?.end();
  }

  /** Ends the one that nobody took, and has none ready any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.endReady();
  }

  async #takeReady(): Promise<Launcher | undefined> {
    const ready = this.#ready;
    this.#ready = undefined;
    waiting.delete(this);
    if (waiting.size === 0) process.off('beforeExit', endAll);
    return ready?.catch(() => undefined);
  }

  async #start(groups: ControlGroups | undefined, purpose: LauncherPurpose): Promise<Launcher> {
    const group = await groups?.make();
    try {
      await group?.bound(purpose.limits);
      return await startLauncher(this.#spawner, purpose, this.#nextUserId(), group);
    } catch (error) {
      await group?.remove();
      throw error;
    }
  }
}
