import { inBackground } from '../../../shared/async/background.ts';
import { isDeepStrictEqual } from 'node:util';
import { startLauncher, type Launcher, type LauncherPurpose } from './bwrap-process.ts';
import type { ControlGroups } from '../control-groups/control-groups.ts';
import type { Spawner } from './spawner.ts';

/**
 * Instances that have a launcher ready. If the host ended without ending it, the control group of
 * the launcher would remain.
 */
const waiting = new Set<Launchers>();

function endAll(): void {
  for (const launchers of waiting) inBackground(launchers.endReady());
}

/**
 * Starts launchers, one in advance. To make a sandbox takes as long as to start what runs in it.
 * With control groups it takes longer: the kernel needs ten milliseconds or more to move a process
 * into one, because it waits until no process of the machine is about to start another one.
 */
export class Launchers {
  readonly #spawner: Spawner;
  readonly #nextUserId: () => number;
  #ready: Promise<Launcher> | undefined;
  #closed = false;

  /**
   * @param nextUserId - Returns the user id for the next launcher, if this process can choose it.
   */
  constructor(spawner: Spawner, nextUserId: () => number) {
    this.#spawner = spawner;
    this.#nextUserId = nextUserId;
  }

  /**
   * Starts a launcher in advance if none is ready.
   * @param purpose - The expected argument of the next `take`.
   */
  prepare(groups: ControlGroups | undefined, purpose: LauncherPurpose): void {
    if (this.#closed || this.#ready !== undefined) return;
    this.#ready = this.#start(groups, purpose);
    if (waiting.size === 0) process.on('beforeExit', endAll);
    waiting.add(this);
    // The next call of `take` tries again and reports a failure.
    this.#ready.catch(() => {});
  }

  /** @throws PtcError `SANDBOX_START_FAILED` */
  async take(groups: ControlGroups | undefined, purpose: LauncherPurpose): Promise<Launcher> {
    const ready = await this.#takeReady();
    if (ready?.isAlive() && isDeepStrictEqual(ready.purpose, purpose)) return ready;
    const [launcher] = await Promise.all([this.#start(groups, purpose), ready?.end()]);
    return launcher;
  }

  /** Ends the launcher that is ready. */
  async endReady(): Promise<void> {
    const ready = await this.#takeReady();
    await ready?.end();
  }

  /** Ends the launcher that is ready, and starts no more in advance. */
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
      await group?.setLimits(purpose.limits);
      return await startLauncher(this.#spawner, purpose, this.#nextUserId(), group);
    } catch (error) {
      await group?.remove();
      throw error;
    }
  }
}
