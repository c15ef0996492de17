import type Docker from 'dockerode';
import type { StreamTransport } from '../../protocol/stream-transport.ts';
import type { SecurityReport } from '../../sandbox/protection.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { withDeadline } from './engine/deadline.ts';
import type { LeftContainers } from './container/left-containers.ts';
import { memoryInUse } from './container/memory-usage.ts';
import { removeContainer } from './container/remove-container.ts';

/** Shorter than other deadlines, because nobody's work depends on the answer. */
const QUESTION_DEADLINE_MS = 3000;

/** A container with a runner, and the streams to the runner. */
export class DockerSandbox implements Sandbox {
  readonly id: string;
  readonly transport: StreamTransport;
  /** Absent if another host created the container, because what it requested is not known. */
  readonly security?: () => Promise<SecurityReport>;
  readonly #container: Docker.Container;
  readonly #left: LeftContainers;
  #closed: Promise<void> | undefined;

  /** @param left - Receives the container if the engine did not remove it in time. */
  constructor(
    id: string,
    container: Docker.Container,
    transport: StreamTransport,
    left: LeftContainers,
    security?: () => Promise<SecurityReport>,
  ) {
    this.id = id;
    this.transport = transport;
    this.#container = container;
    this.#left = left;
    if (security !== undefined) this.security = security;
  }

  async detach(): Promise<void> {
    this.transport.destroy();
  }

  async memoryUsage(): Promise<number | undefined> {
    try {
      const options = { stream: false, 'one-shot': true } as const;
      const { memory_stats: counters } = await withDeadline(
        'report the memory of a container',
        QUESTION_DEADLINE_MS,
        (abortSignal) => {
          const request = { ...options, abortSignal };
          return this.#container.stats(request);
        },
      );
      return memoryInUse(counters);
    } catch {
      return undefined;
    }
  }

  async close(): Promise<void> {
    this.#closed ??= this.#end();
    await this.#closed;
  }

  async #end(): Promise<void> {
    // The engine may fail to kill the container, and a persistent one does not end with its stream.
    this.transport.send({ kind: 'exit' });
    // The stream is closed first: while an attached client does not read, some engines cannot kill
    // the container.
    this.transport.destroy();
    if (!(await removeContainer(this.#container))) this.#left.add(this.#container);
  }
}
