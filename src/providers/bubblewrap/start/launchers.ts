import { inBackground } from '../../../shared/async/background.ts';
import { isDeepStrictEqual } from 'node:util';
import { startLauncher, type Launcher, type LauncherPurpose } from './bwrap-process.ts';
import type { ControlGroups } from '../control-groups/control-groups.ts';
import type { Spawner } from './spawner.ts';

/**
 * Instances that have launchers ready. If the host ended without ending them, the control groups of
 * the launchers would remain.
 */
const waiting = new Set<Launchers>();

function endAll(): void {
  for (const launchers of waiting) inBackground(launchers.endReady());
}

/** How many launchers wait at most, one for each purpose. */
const MOST_READY = 4;

/** A launcher that was started in advance. */
interface Ready {
  readonly purpose: LauncherPurpose;
  readonly launcher: Promise<Launcher>;
}

/**
 * Starts launchers, one in advance for each of the last purposes, because a process may use
 * sandboxes for several languages in turn. To make a sandbox takes as long as to start what runs in
 * it. With control groups it takes longer: the kernel needs ten milliseconds or more to move a
 * process into one, because it waits until no process of the machine is about to start another one.
 */
export class Launchers {
  readonly #spawner: Spawner;
  readonly #nextUserId: () => number;
  /** The oldest first. */
  #ready: Ready[] = [];
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
   * @param purpose - The expected argument of a later `take`.
   */
  prepare(groups: ControlGroups | undefined, purpose: LauncherPurpose): void {
    if (this.#closed || this.#find(purpose) !== undefined) return;
    const launcher = this.#start(groups, purpose);
    // The next call of `take` tries again and reports a failure.
    launcher.catch(() => {});
    this.#setReady([...this.#ready, { purpose, launcher }]);
    const [oldest] = this.#ready;
    if (oldest !== undefined && this.#ready.length > MOST_READY) {
      this.#setReady(this.#ready.slice(1));
      inBackground(end(oldest));
    }
  }

  /** @throws PtcError `SANDBOX_START_FAILED` */
  async take(groups: ControlGroups | undefined, purpose: LauncherPurpose): Promise<Launcher> {
    const found = this.#find(purpose);
    this.#setReady(this.#ready.filter((each) => each !== found));
    const launcher = await found?.launcher.catch(() => undefined);
    return launcher?.isAlive() ? launcher : this.#start(groups, purpose);
  }

  /** Ends the launchers that are ready. */
  async endReady(): Promise<void> {
    const ready = this.#ready;
    this.#setReady([]);
    await Promise.all(ready.map(end));
  }

  /** Ends the launchers that are ready, and starts no more in advance. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.endReady();
  }

  #find(purpose: LauncherPurpose): Ready | undefined {
    return this.#ready.find((each) => isDeepStrictEqual(each.purpose, purpose));
  }

  #setReady(ready: Ready[]): void {
    this.#ready = ready;
    if (ready.length > 0) waiting.add(this);
    else waiting.delete(this);
    process.off('beforeExit', endAll);
    if (waiting.size > 0) process.on('beforeExit', endAll);
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

async function end({ launcher }: Ready): Promise<void> {
  await (await launcher.catch(() => undefined))?.end();
}
