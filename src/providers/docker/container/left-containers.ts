import type Docker from 'dockerode';
import { inBackground } from '../../../shared/async/background.ts';
import { CALL_DEADLINE_MS } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-error.ts';
import { removeContainer } from './remove-container.ts';

interface LeftContainer {
  readonly container: Docker.Container;
  /** Whether the engine may still create it, so that it can appear after it was not there. */
  mayAppear: boolean;
  /** Since when the engine has answered each time that it does not have it. */
  absentSinceMs?: number | undefined;
  /** The attempt to remove it that is being made. */
  attempt?: Promise<void> | undefined;
}

/**
 * Containers that nobody uses any more and that the engine did not remove in time: their start
 * failed, or their sandbox was closed. Nothing else would remove one that was never started, and a
 * persistent one would go on until its idle time is over.
 */
export class LeftContainers {
  /** By their names, or by their ids if another host created them. */
  readonly #left: Map<string, LeftContainer> = new Map();

  add(container: Docker.Container): void {
    if (!this.#left.has(container.id)) {
      this.#left.set(container.id, { container, mayAppear: false });
    }
  }

  /**
   * Adds a container of which the engine did not say whether it created it. It is removed as soon
   * as the engine says that it did.
   * @param creating - The engine's answer, which may have failed already, or fail later.
   */
  addUnanswered(container: Docker.Container, creating: Promise<unknown>): void {
    const left: LeftContainer = { container, mayAppear: true };
    this.#left.set(container.id, left);
    const retry = async (mayAppear: boolean): Promise<void> => {
      // An attempt that began before the engine's answer may not have found it yet.
      await left.attempt;
      left.mayAppear = mayAppear;
      // Meanwhile it may have been given up.
      this.#left.set(container.id, left);
      await this.#attempt(left);
    };
    const answered = creating.then(
      () => false,
      (error: unknown) => statusOf(error) === undefined,
    );
    inBackground(answered.then(retry));
  }

  /** Whether this container, which the engine listed, is one of them. */
  has({ Id, Names }: Docker.ContainerInfo): boolean {
    return this.#left.has(Id) || Names.some((name) => this.#left.has(name.slice(1)));
  }

  /** Tries again to remove them. Those that remain are kept for the next attempt. Never throws. */
  async remove(): Promise<void> {
    await Promise.all([...this.#left.values()].map(async (left) => this.#attempt(left)));
  }

  async #attempt(left: LeftContainer): Promise<void> {
    left.attempt ??= this.#remove(left).finally(() => {
      left.attempt = undefined;
    });
    await left.attempt;
  }

  /** Until it is gone, it is one of them, so that nobody takes it over meanwhile. */
  async #remove(left: LeftContainer): Promise<void> {
    const isAbsent = await removeContainer(left.container);
    const nowMs = performance.now();
    left.absentSinceMs = isAbsent ? (left.absentSinceMs ?? nowMs) : undefined;
    if (left.absentSinceMs === undefined) return;
    // An engine that has answered for so long has done or forgotten what it was asked before.
    const isGone = !left.mayAppear || nowMs - left.absentSinceMs >= CALL_DEADLINE_MS;
    if (isGone) this.#left.delete(left.container.id);
  }
}
