import type Docker from 'dockerode';
import { messageOf, PtcError } from '../../shared/errors.ts';
import { withDeadline } from './deadline.ts';
import { statusOf } from './engine-error.ts';

/** An exit is told within milliseconds of the end of the output. */
const REPORT_DEADLINE_MS = 2000;

interface ExitReport {
  readonly StatusCode: number;
}

/**
 * Waits for a container's end, from before its start: afterwards the engine has forgotten it, and
 * the end of its output alone does not tell a container that ended from an engine that did.
 */
export class ExitWatch {
  readonly #controller = new AbortController();
  readonly #report: Promise<ExitReport>;

  constructor(container: Docker.Container) {
    this.#report = container.wait({
      condition: 'next-exit',
      abortSignal: this.#controller.signal,
    });
    // Asked about only where the end was not our own doing.
    this.#report.catch(() => undefined);
  }

  /** Why the container ended; undefined where its runner ended in good order. */
  async reason(): Promise<PtcError | undefined> {
    try {
      const report = await withDeadline('report an exit', REPORT_DEADLINE_MS, () => this.#report);
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

  /** Nobody wants to know any more. */
  stop(): void {
    this.#controller.abort();
  }
}

function describeStatus(status: number): PtcError | undefined {
  if (status === 0) return undefined;
  const killed =
    status === 137
      ? ': it was killed, by a person or because its memory or the machine’s ran out'
      : '';
  return new PtcError('SANDBOX_LOST', `The sandbox ended with status ${status}${killed}.`, {
    details: { status },
  });
}
