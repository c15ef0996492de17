import type Docker from 'dockerode';
import { removeContainer } from './remove-container.ts';

/**
 * Containers whose start failed and that the engine did not remove in time. They never ran, so the
 * engine does not remove them by itself.
 */
export class LeftContainers {
  readonly #containers: Set<Docker.Container> = new Set();

  add(container: Docker.Container): void {
    this.#containers.add(container);
  }

  /** Tries again to remove them. Those that remain are kept for the next attempt. Never throws. */
  async remove(): Promise<void> {
    const attempts = [...this.#containers].map(async (container) => {
      this.#containers.delete(container);
      if (!(await removeContainer(container))) this.#containers.add(container);
    });
    await Promise.all(attempts);
  }
}
