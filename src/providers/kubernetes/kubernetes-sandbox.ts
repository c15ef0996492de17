import type { StreamTransport } from '../../protocol/stream-transport.ts';
import type { Protection, SecurityReport } from '../../sandbox/protection.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { ResumableStreams } from './streams/resumable-streams.ts';
import { type PodPlace, removeUsedPod } from './start/pod-end.ts';
import { comparePolicy } from './walls/compare-policy.ts';

interface Parts extends PodPlace {
  readonly transport: StreamTransport;
  readonly streams: ResumableStreams;
  readonly protections: readonly Protection[];
  /** The addresses that a pod reaches which the NetworkPolicy does not select. */
  readonly tryWithoutPolicy: (() => Promise<readonly string[]>) | undefined;
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

  async memoryUsage(): Promise<number | undefined> {
    return this.#parts.streams.memoryBytes();
  }

  async security(): Promise<SecurityReport> {
    // The API refuses to change them, and the kernel too.
    const { protections, tryWithoutPolicy } = this.#parts;
    return tryWithoutPolicy === undefined
      ? { protections, notes: [] }
      : comparePolicy(protections, tryWithoutPolicy);
  }

  async detach(): Promise<void> {
    this.transport.destroy();
  }

  async close(): Promise<void> {
    this.transport.destroy();
    this.#closed ??= removeUsedPod(this.#parts);
    await this.#closed;
  }
}
