import type Docker from 'dockerode';
import { messageOf, PtcError } from '../../../shared/errors.ts';
import { CALL_DEADLINE_MS, withDeadline } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-error.ts';

interface ExitReport {
  readonly StatusCode: number;
}

/**
 * Waits for the end of a container. It begins before the start, because afterwards the engine no
 * longer knows the container, and the end of the output alone could also be the end of the engine.
 */
export class ExitWatch {
  readonly #controller = new AbortController();
  readonly #report: Promise<ExitReport>;

  constructor(container: Docker.Container) {
    this.#report = container.wait({
      condition: 'next-exit',
      abortSignal: this.#controller.signal,
    });
    // A failure counts only if `reason` is asked for.
    this.#report.catch(() => undefined);
  }

  /** Why the container ended. Undefined if its runner ended normally. */
  async reason(): Promise<PtcError | undefined> {
    try {
      const report = await withDeadline('report an exit', CALL_DEADLINE_MS, () => this.#report);
      return describeStatus(report.StatusCode);
    } catch (cause) {
      const engine =
        statusOf(cause) === undefined
          ? 'The container engine stopped answering'
          : 'The sandbox is gone';
      return new PtcError('SANDBOX_LOST', `${engine}: ${messageOf(cause)}`, { cause });
    } finally {
      this.stop();
    }
  }

  /** Stops waiting. */
  stop(): void {
    this.#controller.abort();
  }
}

function describeStatus(status: number): PtcError | undefined {
  if (status === 0) return undefined;
  const killed =
    status === 137
      ? ': it was killed, by the kernel because memory ran out or by another process'
      : '';
  return new PtcError('SANDBOX_LOST', `The sandbox ended with status ${status}${killed}.`, {
    details: { status },
  });
}
