import type { StreamTransport } from '../../protocol/stream-transport.ts';
import type { Protection, SecurityReport } from '../../sandbox/protection.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { type PodPlace, removePod } from './start/pod-end.ts';

interface Parts extends PodPlace {
  readonly transport: StreamTransport;
  readonly protections: readonly Protection[];
}

/** A pod with a runner, and the streams to the runner. */
export class KubernetesSandbox implements Sandbox {
  readonly id: string;
  readonly transport: StreamTransport;
  readonly #parts: Parts;
  #closed: Promise<void> | undefined;

  /** @param id - The name of the pod. */
  constructor(id: string, parts: Parts) {
    this.id = id;
    this.transport = parts.transport;
    this.#parts = parts;
  }

  async security(): Promise<SecurityReport> {
    // The API refuses to change them, and the kernel too.
    return { protections: this.#parts.protections, notes: [] };
  }

  async close(): Promise<void> {
    this.transport.destroy();
    this.#closed ??= removePod(this.#parts);
    await this.#closed;
  }
}
